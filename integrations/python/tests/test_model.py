"""Models, their parts and their poses."""

import gc
import threading
import time

import numpy as np
import pytest
import skincheck


@pytest.fixture
def walker(fixtures):
    return skincheck.load(fixtures / "walker.glb")


def test_a_model_has_typed_parts(walker):
    assert [clip.name for clip in walker.clips] == ["Walk", "Wave"]
    walk = walker.clip("Walk")
    assert (walk.start, walk.end, walk.duration) == (0.0, 1.0, 1.0)
    assert walk.key_times[0] == 0.0 and np.all(np.diff(walk.key_times) > 0)
    hips = walker.joint("Hips")
    assert hips.is_bound and walker.joints[hips.parent].name == "Walker"
    assert hips.rest.shape == (4, 4) and np.array_equal(hips.rest[3], [0, 0, 0, 1])
    (mesh,) = walker.meshes
    assert mesh.name == "Body" and mesh.positions.shape == (mesh.vertex_count, 3)
    assert mesh.triangles.dtype == np.uint32 and mesh.triangles.max() < mesh.vertex_count
    assert mesh.uv_sets[0].shape == (mesh.vertex_count, 2)
    skin = walker.skins[mesh.skin]
    assert skin.inverse_bind_matrices.shape == (len(skin.joints), 4, 4)
    assert walker.materials[mesh.material].alpha == "opaque"
    assert walker.up == "+Y" and walker.metres_per_unit == 1.0


def test_the_weights_are_those_of_the_file(walker):
    (mesh,) = walker.meshes
    vertices, joints, weights = mesh.influences
    sums = np.bincount(vertices, weights=weights, minlength=mesh.vertex_count)
    assert np.allclose(sums, 1.0, atol=1e-5)
    assert all(walker.joints[joint].is_bound for joint in np.unique(joints))


def test_a_pose_is_what_its_matrices_and_weights_say(walker):
    """Skinned anew with numpy from the arrays alone: rows and columns are not mixed up."""
    (mesh,) = walker.meshes
    skin = walker.skins[mesh.skin]
    pose = walker.pose("Walk", 0.3)
    world = pose.joint_matrices.astype(np.float64)
    binds = np.tile(np.eye(4), (len(walker.joints), 1, 1))
    binds[skin.joints] = skin.inverse_bind_matrices
    moves = world @ binds
    vertices, joints, weights = mesh.influences
    points = np.c_[mesh.positions, np.ones(mesh.vertex_count)]
    moved = np.zeros((mesh.vertex_count, 4))
    np.add.at(moved, vertices, weights[:, None] * np.einsum("nij,nj->ni", moves[joints], points[vertices]))
    assert np.abs(pose.positions() - moved[:, :3]).max() < 1e-5
    assert np.array_equal(pose.joint_matrix("Hips"), pose.joint_matrices[walker.joint("Hips").index])
    assert np.allclose(np.linalg.norm(pose.normals(), axis=1), 1.0, atol=1e-5)


def test_the_bind_pose_leaves_the_mesh_as_it_is(walker):
    assert np.abs(walker.bind_pose().positions() - walker.meshes[0].positions).max() < 1e-5


def test_many_frames_are_those_of_single_poses(walker):
    times = np.linspace(0.0, 1.0, 7)
    positions, normals = walker.positions("Walk", times), walker.normals("Walk", times)
    assert positions.shape == (7, walker.vertex_count, 3) and positions.dtype == np.float32
    for frame, at in enumerate(times):
        pose = walker.pose("Walk", at)
        assert np.array_equal(positions[frame], pose.positions())
        assert np.array_equal(normals[frame], pose.normals())
    assert walker.positions("Walk", []).shape == (0, walker.vertex_count, 3)
    looped = walker.positions("Walk", [1.25], wrap="loop")
    assert np.abs(looped[0] - walker.pose("Walk", 0.25).positions()).max() < 1e-5


def test_matrices_of_many_frames_are_those_of_single_poses(walker):
    times = np.linspace(0.0, 1.0, 5)
    world, local = walker.joint_matrices("Walk", times), walker.local_matrices("Walk", times)
    assert world.shape == local.shape == (5, len(walker.joints), 4, 4) and world.dtype == np.float32
    for frame, at in enumerate(times):
        assert np.array_equal(world[frame], walker.pose("Walk", at).joint_matrices)
    for joint in walker.joints:
        above = np.eye(4) if joint.parent is None else world[:, joint.parent]
        assert np.abs(above @ local[:, joint.index] - world[:, joint.index]).max() < 1e-5


def test_morph_weights_of_many_frames(fixtures):
    model = skincheck.load(fixtures / "morph.gltf")
    (clip,), (mesh,) = model.clips, model.meshes
    weights = model.morph_weights(clip, [clip.start, clip.end, clip.end + 9.0], mesh)
    assert weights.shape == (3, len(mesh.morph_targets)) and weights.dtype == np.float32
    assert np.ptp(weights[:2], axis=0).max() > 0 and np.array_equal(weights[1], weights[2])


def test_arrays_of_one_mesh_are_parts_of_all(fixtures):
    model = skincheck.load(fixtures / "instanced.gltf")
    assert len(model.meshes) > 1
    pose = model.pose()
    every = [pose.positions(mesh) for mesh in model.meshes]
    assert np.array_equal(np.concatenate(every), pose.positions())
    assert np.shares_memory(every[1], pose.positions())
    clip = model.clips[0].name if model.clips else None
    if clip:
        of_mesh = model.positions(clip, [0.0], mesh=1)
        assert np.array_equal(of_mesh[0], model.pose(clip, 0.0).positions(1))


def test_arrays_stay_valid_when_the_model_is_dropped(fixtures):
    def arrays():
        model = skincheck.load(fixtures / "walker.glb")
        pose = model.pose("Walk", 0.3)
        return pose.positions(), pose.joint_matrices, model.meshes[0].triangles

    first, again = arrays(), arrays()
    gc.collect()
    _churn = [np.ones((4864, 3), np.float32) for _ in range(50)]
    for one, other in zip(first, again):
        assert np.array_equal(one, other)


def test_arrays_are_views_and_cannot_be_written(walker):
    pose = walker.pose("Walk", 0.3)
    assert np.shares_memory(pose.positions(), pose.positions()), "there is no copy"
    assert np.shares_memory(walker.meshes[0].positions, walker.meshes[0].positions)
    for array in [pose.positions(), pose.joint_matrices, walker.meshes[0].positions, walker.meshes[0].triangles]:
        with pytest.raises(ValueError):
            array[0] = 0
    walker.positions("Walk", [0.0])[:] = 0.0


def test_other_threads_run_while_frames_are_posed(walker):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    walker.positions("Walk", np.linspace(0, 1, 400))
    end = time.perf_counter()
    done.set()
    thread.join()
    within = [tick for tick in ticks if begin < tick < end]
    assert len(within) >= 3, f"{len(within)} ticks in {end - begin} s"


def test_frames_and_rates(walker):
    assert walker.pose("Walk", frame=12).time == pytest.approx(0.5), "its keys are 1/24 s apart"
    assert walker.pose("Walk", 7.0).time == 1.0, "clamped to the clip"
    assert walker.pose().clip is None and walker.pose().time == 0.0


def test_fewer_influences_move_vertices(fixtures):
    model = skincheck.load(fixtures / "eight_influences.gltf")
    clip = model.clips[0]
    at = clip.end
    assert np.abs(model.pose(clip, at).positions() - model.pose(clip, at, max_influences=1).positions()).max() > 1e-4


def test_unknown_names_say_which_exist(walker):
    with pytest.raises(skincheck.UnknownNameError, match=r'did you mean "Walk"\?.*1: "Wave"'):
        walker.pose("Wlak", 0.3)
    with pytest.raises(skincheck.UnknownNameError, match='did you mean "Hips"'):
        walker.joint("Hisp")
    with pytest.raises(skincheck.UnknownNameError, match='the model has 0: "Body"'):
        walker.pose().positions("Boddy")
    with pytest.raises(IndexError, match="the model has 2 clips"):
        walker.clip(2)
    with pytest.raises(IndexError):
        walker.clip(-1)
    assert issubclass(skincheck.UnknownNameError, skincheck.Error)


def test_wrong_arguments_say_what_is_expected(walker):
    with pytest.raises(TypeError, match="name, index or object of a clip, not float"):
        walker.clip(1.5)
    with pytest.raises(TypeError, match="time and frame"):
        walker.pose("Walk", 0.1, frame=3)
    with pytest.raises(TypeError, match="needs a clip"):
        walker.pose(None, 0.1)
    with pytest.raises(ValueError, match='"clamp" or "loop"'):
        walker.pose("Walk", 0.1, wrap="bounce")
    with pytest.raises(ValueError, match="at least 1"):
        walker.pose("Walk", 0.1, max_influences=0)
    with pytest.raises(skincheck.PoseError, match="not finite"):
        walker.pose("Walk", float("nan"))
    with pytest.raises(skincheck.PoseError, match="negative"):
        walker.positions("Walk", [0.0, -1.0])
    with pytest.raises(ValueError, match=r"one number of seconds per frame, but the shape is \(1, 2\)"):
        walker.positions("Walk", [[0.0, 1.0]])
    with pytest.raises(TypeError, match="times"):
        walker.positions("Walk", ["soon"])


def test_files_that_cannot_be_read(fixtures, tmp_path):
    with pytest.raises(skincheck.LoadError, match="no such file"):
        skincheck.load(tmp_path / "hero.glb")
    damaged = tmp_path / "damaged.fbx"
    damaged.write_bytes((fixtures / "arm_binary.fbx").read_bytes()[:5000])
    with pytest.raises(skincheck.LoadError, match="truncated"):
        skincheck.load(damaged)
    with pytest.raises(TypeError):
        skincheck.load(42)


def test_an_animation_and_expressions(fixtures):
    model = skincheck.load(fixtures / "arm_mesh_only.fbx", animation=fixtures / "arm_anim_only.fbx")
    assert model.clips
    with pytest.raises(skincheck.LoadError, match="has no expressions"):
        skincheck.load(fixtures / "vrm/avatar.gltf", expressions={"no such face": 1.0})
