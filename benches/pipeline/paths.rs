//! The CPU path against the OpenGL path: skinned vertices, images, whole processes, and the comparison of both.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;

use skincheck::backend::{self, Backend, Cpu, Driver, Gl, Scene};
use skincheck::compare;
use skincheck::rig::SkinningOptions;
use skincheck::view::Style;

use crate::files::walker;
use crate::model::Model;
use crate::stage::Stage;
use crate::stages::run;

/// A model that stays loaded while stages alternate on it: a thread has one OpenGL context at a time.
type Loaded<'a> = Rc<RefCell<Box<dyn backend::Model + 'a>>>;

/// Does nothing without OpenGL.
pub(crate) fn all(model: &Model) -> Vec<Stage<'_>> {
    let gl = match load(&Gl, model) {
        Ok(gl) => gl,
        Err(error) => {
            println!("the OpenGL path is left out: {error}");
            return Vec::new();
        }
    };
    let cpu = load(&Cpu, model).expect("the CPU is there");
    vec![
        deform(model, &cpu, &gl),
        image(model, &cpu, &gl),
        compare(model, &cpu),
        process(),
    ]
}

fn load<'a>(backend: &dyn Backend, model: &'a Model) -> Result<Loaded<'a>, backend::BackendError> {
    // Borrowed for as long as the program runs.
    let device = Box::leak(backend.open(Driver::Auto)?);
    println!("{}: {}", backend.name(), device.describe());
    Ok(Rc::new(RefCell::new(device.load(&model.asset)?)))
}

fn deform<'a>(model: &'a Model, cpu: &Loaded<'a>, gl: &Loaded<'a>) -> Stage<'a> {
    let options = SkinningOptions::default();
    let deform = |path: &Loaded<'a>| {
        let path = Rc::clone(path);
        move || {
            let deformed = path.borrow_mut().deform(&model.pose, &options);
            deformed.expect("the pose is of this rig")
        }
    };
    Stage::new(
        "skinning, frame by frame",
        deform(cpu),
        "the same in OpenGL (peer)",
        deform(gl),
    )
}

fn image<'a>(model: &'a Model, cpu: &Loaded<'a>, gl: &Loaded<'a>) -> Stage<'a> {
    Stage::new(
        "pictures, frame by frame",
        draw(model, cpu),
        "the same in OpenGL (peer)",
        draw(model, gl),
    )
}

fn draw<'a>(model: &'a Model, path: &Loaded<'a>) -> impl FnMut() -> skincheck::frame::Frame + 'a {
    let path = Rc::clone(path);
    move || {
        let frame = path.borrow_mut().render(&scene(model));
        frame.expect("the pose is of this rig")
    }
}

fn scene(model: &Model) -> Scene<'_> {
    Scene {
        pose: &model.pose,
        skinning: SkinningOptions::default(),
        camera: model.camera,
        viewport: Model::VIEWPORT,
        style: Style::default(),
    }
}

fn compare<'a>(model: &'a Model, cpu: &Loaded<'a>) -> Stage<'a> {
    let compare =
        move || compare::pixels(&model.frame, &model.frame, None).expect("both are of one size");
    Stage::new(
        "comparing two pictures",
        compare,
        "drawing one (peer)",
        draw(model, cpu),
    )
}

fn process() -> Stage<'static> {
    let render = |backend: &'static [&'static str]| {
        let name = format!("bench{}.png", backend.concat());
        let image = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        move || {
            let model = walker();
            let words = ["--quiet", "render", "--time", "0.3"];
            let words = words.iter().chain(backend).chain(&["-o"]);
            let files = [image.as_os_str(), model.as_os_str()];
            run(words.map(OsStr::new).chain(files));
        }
    };
    Stage::new(
        "render, CPU, whole process",
        render(&[]),
        "render, OpenGL (peer)",
        render(&["--gl"]),
    )
}
