//! Images.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{PyArray2, PyArray3};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use skincheck::backend::{self, DrawOptions};
use skincheck::frame::{self, Frame, png};
use skincheck::lint::{Context, Measure, Settings};
use skincheck::rig::NodeId;
use skincheck::view::{Background, Projection, Samples, Show, Style, ViewDirection, Viewport};
use skincheck::{facing, pose as posing};

use crate::array;
use crate::error::{Raise, RenderError, UnknownNameError};
use crate::posed::Posed;
use skincheck::causes;

/// What an image shows, and from where.
pub(crate) struct Look<'a> {
    pub(crate) size: (u64, u64),
    pub(crate) camera: &'a str,
    pub(crate) show: &'a str,
    pub(crate) background: &'a str,
    pub(crate) orthographic: bool,
    pub(crate) samples: u32,
}

impl Look<'_> {
    pub(crate) fn draw(&self, py: Python<'_>, posed: &Posed) -> PyResult<Image> {
        let options = self.options(posed)?;
        let frame = py.detach(|| {
            let mut options = options;
            options.front = Some(facing::of(&posed.asset).front);
            let show = &options.style.show;
            if show.needs_numbers().is_some() {
                let measure = Measure::of_mode(show.name()).ok_or_else(|| {
                    RenderError::new_err(format!(
                        "show {:?}: images of distances are not supported here; skincheck.diff returns them as numbers",
                        self.show
                    ))
                })?;
                let settings = Settings::default();
                let context = Context::new(&posed.asset, Path::new(""), &settings);
                let numbers = measure.in_pose(&context, &posed.pose, posed.options);
                options.style.show = show.measured(numbers.raise(RenderError::new_err)?);
            }
            backend::draw(&posed.asset, &posed.pose, &options).raise(RenderError::new_err)
        })?;
        Ok(Image::of(frame))
    }

    fn options(&self, posed: &Posed) -> PyResult<DrawOptions> {
        let (width, height) = self.size;
        let joints = |names: &str| -> PyResult<Vec<NodeId>> {
            posing::find_joints(&posed.asset, names).raise(UnknownNameError::new_err)
        };
        Ok(DrawOptions {
            direction: self
                .camera
                .parse::<ViewDirection>()
                .raise(RenderError::new_err)?,
            projection: if self.orthographic {
                Projection::Orthographic
            } else {
                Projection::default()
            },
            viewport: Viewport::new(width, height).raise(RenderError::new_err)?,
            style: Style {
                show: Show::parse(self.show, |names| joints(names).map_err(Refused::Names))
                    .map_err(PyErr::from)?,
                background: self
                    .background
                    .parse::<Background>()
                    .raise(RenderError::new_err)?,
                samples: self
                    .samples
                    .to_string()
                    .parse::<Samples>()
                    .raise(RenderError::new_err)?,
            },
            skinning: posed.options,
            ..DrawOptions::default()
        })
    }
}

/// Why a mode cannot be shown.
enum Refused {
    View(skincheck::view::ViewError),
    Names(PyErr),
}

impl From<skincheck::view::ViewError> for Refused {
    fn from(error: skincheck::view::ViewError) -> Self {
        Self::View(error)
    }
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::View(error) => RenderError::new_err(causes(&error)),
            Refused::Names(error) => error,
        }
    }
}

/// A finished image.
#[pyclass(frozen, module = "skincheck")]
pub(crate) struct Image {
    frame: Arc<Frame>,
}

impl Image {
    pub(crate) fn of(frame: Frame) -> Self {
        Self {
            frame: Arc::new(frame),
        }
    }

    fn png(&self) -> PyResult<Vec<u8>> {
        png::encode(&self.frame, &[]).raise(RenderError::new_err)
    }
}

#[pymethods]
impl Image {
    /// In pixels.
    #[getter]
    fn width(&self) -> u32 {
        self.frame.width
    }

    /// In pixels.
    #[getter]
    fn height(&self) -> u32 {
        self.frame.height
    }

    /// The colours in sRGB with straight alpha, rows from the top: height × width × 4, uint8, read-only.
    #[getter]
    fn rgba<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        array::view(py, &self.frame, |frame| {
            let shape = (frame.height as usize, frame.width as usize, 4);
            ArrayView3::from_shape(shape, &frame.rgba).expect("four bytes per pixel")
        })
    }

    /// The depths, from 0 at the near plane to 1 at the far plane and where nothing is: height × width, float32, read-only.
    #[getter]
    fn depth<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        array::view(py, &self.frame, |frame| {
            let shape = (frame.height as usize, frame.width as usize);
            ArrayView2::from_shape(shape, &frame.depth).expect("a number per pixel")
        })
    }

    /// Writes a PNG file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| frame::write_file(&path, &self.png()?).raise(RenderError::new_err))
    }

    /// The image for Pillow, which must be installed.
    fn to_pil<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pillow = py.import("PIL.Image")?;
        pillow.call_method1("fromarray", (self.rgba(py)?,))
    }

    /// Shows it in notebooks.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.png()?))
    }

    fn __repr__(&self) -> String {
        format!("<Image {}x{}>", self.frame.width, self.frame.height)
    }
}
