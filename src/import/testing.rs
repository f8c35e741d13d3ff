//! Assets for tests: all kinds of them, valid or not.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::rig::{
    AlphaMode, Asset, Bitmap, Channel, Clip, Defect, Evidence, Image, ImageData, ImageId,
    Influence, Influences, Joint, JointId, Key, LocalTransform, Material, MaterialId, Mesh, MeshId,
    MeshInstance, MorphChannel, MorphTarget, Note, Skeleton, Skin, SkinId, Span, TextureRef,
    TextureWrap, TickRate, Track, Trs,
};
use crate::units::{Seconds, SignedAxis, Space};

/// Nothing in it.
pub(super) fn empty_asset() -> Asset {
    Asset {
        importer: "sample 1".into(),
        space: Space::Y_UP,
        stated_space: None,
        skeleton: Skeleton::default(),
        meshes: Vec::new(),
        skins: Vec::new(),
        instances: Vec::new(),
        clips: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        files: Vec::new(),
        notes: Vec::new(),
        evidence: Evidence::default(),
    }
}

/// Any asset whose skeleton has its parents first. Indices may be out of range, and floats are any bits.
pub(super) fn any_asset() -> impl Strategy<Value = Asset> {
    let header = (name(), space(), option::of(space()), vec(note(), 0..3));
    let shapes = (
        skeleton(),
        vec(mesh(), 0..3),
        vec(skin(), 0..3),
        vec(instance(), 0..3),
    );
    let rest = (vec(clip(), 0..3), vec(material(), 0..3), vec(image(), 0..3));
    (header, shapes, rest).prop_map(|(header, shapes, rest)| Asset {
        importer: header.0,
        space: header.1,
        stated_space: header.2,
        notes: header.3,
        skeleton: shapes.0,
        meshes: shapes.1,
        skins: shapes.2,
        instances: shapes.3,
        clips: rest.0,
        materials: rest.1,
        images: rest.2,
        files: Vec::new(),
        evidence: crate::rig::Evidence::default(),
    })
}

fn float() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits)
}

fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn vec3() -> impl Strategy<Value = Vec3> {
    [float(), float(), float()].prop_map(Vec3::from)
}

fn vec4() -> impl Strategy<Value = Vec4> {
    [float(), float(), float(), float()].prop_map(Vec4::from)
}

fn quat() -> impl Strategy<Value = Quat> {
    vec4().prop_map(Quat::from_vec4)
}

fn mat4() -> impl Strategy<Value = Mat4> {
    [vec4(), vec4(), vec4(), vec4()].prop_map(|[x, y, z, w]| Mat4::from_cols(x, y, z, w))
}

fn name() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..6).prop_map(String::from_iter)
}

fn note() -> impl Strategy<Value = Note> {
    (name(), name()).prop_map(|(place, message)| Note { place, message })
}

fn space() -> impl Strategy<Value = Space> {
    let axes = (0..3, any::<i32>(), 0..3, any::<i32>());
    (axes, option::of(double())).prop_map(|((up, up_sign, front, front_sign), metres_per_unit)| {
        Space {
            up: SignedAxis::from_index(up, up_sign).unwrap(),
            front: SignedAxis::from_index(front, front_sign).unwrap(),
            metres_per_unit,
        }
    })
}

fn local_transform() -> impl Strategy<Value = LocalTransform> {
    let parts = (vec3(), quat(), vec3()).prop_map(|(translation, rotation, scale)| {
        LocalTransform::Trs(Trs {
            translation,
            rotation,
            scale,
        })
    });
    prop_oneof![parts, mat4().prop_map(LocalTransform::Matrix)]
}

fn skeleton() -> impl Strategy<Value = Skeleton> {
    let joints = vec((name(), any::<Option<u32>>(), local_transform()), 0..6);
    joints.prop_map(|joints| {
        let joints = (0_u32..)
            .zip(joints)
            .map(|(index, (name, parent, rest))| Joint {
                name,
                parent: parent
                    .and_then(|parent| parent.checked_rem(index))
                    .map(JointId),
                rest,
            });
        Skeleton::new(joints.collect()).unwrap()
    })
}

fn mesh() -> impl Strategy<Value = Mesh> {
    let list = || vec(vec3(), 0..4);
    let influence = (any::<u32>(), float()).prop_map(|(slot, weight)| Influence { slot, weight });
    let target = (name(), list(), list(), list());
    let target = target.prop_map(|(name, positions, normals, tangents)| MorphTarget {
        name,
        positions,
        normals,
        tangents,
    });
    let uv = [float(), float()].prop_map(Vec2::from);
    let sets = (vec(vec(uv, 0..4), 0..3), vec(vec(vec4(), 0..4), 0..3));
    let faces = vec([any::<u32>(), any::<u32>(), any::<u32>()], 0..4);
    let weights = (vec(vec(influence, 0..6), 0..4), vec(target, 0..3));
    let lists = (list(), list(), list(), list());
    let rest = (option::of(any::<u32>()), name());
    (lists, sets, faces, weights, rest).prop_map(|(lists, sets, triangles, weights, rest)| Mesh {
        name: rest.1,
        positions: lists.0,
        quantized: false,
        normals: lists.1,
        tangents: lists.2,
        bitangents: lists.3,
        uv_sets: sets.0,
        color_sets: sets.1,
        triangles,
        influences: Influences::from_vertices(weights.0),
        weight_storage: crate::rig::WeightStorage::Unstated,
        morph_targets: weights.1,
        material: rest.0.map(MaterialId),
    })
}

fn skin() -> impl Strategy<Value = Skin> {
    let joints = vec(any::<u32>().prop_map(JointId), 0..4);
    (name(), joints, vec(mat4(), 0..4)).prop_map(|(name, joints, inverse_bind_matrices)| Skin {
        name,
        joints,
        inverse_bind_matrices,
    })
}

fn instance() -> impl Strategy<Value = MeshInstance> {
    let ids = (any::<u32>(), any::<u32>(), any::<Option<u32>>());
    (ids, vec(float(), 0..3)).prop_map(|((joint, mesh, skin), morph_weights)| MeshInstance {
        joint: JointId(joint),
        mesh: MeshId(mesh),
        skin: skin.map(SkinId),
        morph_weights,
    })
}

fn track<T: Clone + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = Track<T>> {
    let tangents = (value.clone(), value.clone());
    let span = prop_oneof![
        Just(Span::Step),
        Just(Span::Linear),
        tangents.prop_map(|(leave, arrive)| Span::Cubic { leave, arrive }),
    ];
    let key = (double(), value, span).prop_map(|(time, value, span)| Key {
        time: Seconds(time),
        value,
        span,
    });
    vec(key, 0..4).prop_map(|keys| Track { keys })
}

fn clip() -> impl Strategy<Value = Clip> {
    let vectors = || option::of(track(vec3().boxed()));
    let channel = (
        any::<u32>(),
        vectors(),
        option::of(track(quat().boxed())),
        vectors(),
    );
    let parts = channel.prop_map(|(joint, translation, rotation, scale)| Channel {
        translation,
        rotation,
        scale,
        ..Channel::of(JointId(joint))
    });
    let whole = (any::<u32>(), track(mat4().boxed())).prop_map(|(joint, matrix)| Channel {
        matrix: Some(matrix),
        ..Channel::of(JointId(joint))
    });
    let channel = prop_oneof![parts, whole];
    let morph = (any::<u32>(), track(vec(float(), 0..3).boxed()));
    let morph = morph.prop_map(|(joint, weights)| MorphChannel {
        joint: JointId(joint),
        weights,
    });
    let times = (double(), double(), option::of(double()), double());
    (name(), times, vec(channel, 0..3), vec(morph, 0..3)).prop_map(
        |(name, (start, end, stated, used), channels, morph_channels)| Clip {
            name,
            start: Seconds(start),
            end: Seconds(end),
            rate: TickRate {
                stated,
                used,
                frames: false,
            },
            channels,
            morph_channels,
        },
    )
}

fn material() -> impl Strategy<Value = Material> {
    let wrap = || {
        prop_oneof![
            Just(TextureWrap::Repeat),
            Just(TextureWrap::Mirror),
            Just(TextureWrap::Clamp)
        ]
    };
    let texture = (any::<u32>(), any::<u32>(), wrap(), wrap());
    let texture = texture.prop_map(|(image, uv_set, wrap_u, wrap_v)| TextureRef {
        image: ImageId(image),
        uv_set,
        wrap_u,
        wrap_v,
    });
    let alpha = prop_oneof![
        Just(AlphaMode::Opaque),
        float().prop_map(AlphaMode::Mask),
        Just(AlphaMode::Blend)
    ];
    (name(), vec4(), option::of(texture), alpha, any::<bool>()).prop_map(
        |(name, base_color, base_color_texture, alpha, two_sided)| Material {
            name,
            base_color,
            base_color_texture,
            alpha,
            two_sided,
        },
    )
}

fn image() -> impl Strategy<Value = Image> {
    let bytes = || vec(any::<u8>(), 0..9);
    let bitmap = (any::<u32>(), any::<u32>(), bytes());
    let data = prop_oneof![
        name().prop_map(|path| ImageData::File(path.into())),
        bytes().prop_map(ImageData::Encoded),
        bitmap.prop_map(|(width, height, rgba)| ImageData::Bitmap(Bitmap {
            width,
            height,
            rgba
        })),
        name().prop_map(ImageData::Missing),
    ];
    (name(), data).prop_map(|(name, data)| Image { name, data })
}

/// Each defect as one line: kind, place and message, and how many there are.
pub(super) fn told(evidence: &Evidence) -> Vec<String> {
    let defects = evidence.defects.iter();
    let line = |defect: &Defect| format!("{:?} {defect} (x{})", defect.kind, defect.count);
    defects.map(line).collect()
}
