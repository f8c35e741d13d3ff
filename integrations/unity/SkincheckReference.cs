// Writes what Unity makes of a model as a reference for `skincheck diff`. Not run yet: skincheck's tests cannot start Unity. Reviewed
// against the scripting reference of Unity 2022.3 and 6.0. Copy it into a folder named Editor of the project, and run:
//
//     Unity -batchmode -quit -projectPath PROJECT -executeMethod SkincheckReference.Run -model Assets/hero.fbx -reference hero.skref
//
// The reference holds all nodes and skinned meshes, as SkinnedMeshRenderer.BakeMesh skins them, at every frame of every clip of the
// model's rig (Generic or Legacy; clips of a Humanoid rig need an Animator). Unity is left-handed: x is mirrored back, as its importer
// mirrors it. docs/reference.md describes the file.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Unity.Collections;
using UnityEditor;
using UnityEngine;

public static class SkincheckReference
{
    public static void Run()
    {
        string[] arguments = Environment.GetCommandLineArgs();
        string Argument(string name)
        {
            int index = Array.IndexOf(arguments, name);
            if (index < 0 || index + 1 >= arguments.Length)
                throw new ArgumentException($"expected {name} and a path");
            return arguments[index + 1];
        }
        Write(Argument("-model"), Argument("-reference"));
    }

    private static void Write(string path, string reference)
    {
        GameObject prefab = AssetDatabase.LoadAssetAtPath<GameObject>(path);
        if (prefab == null)
            throw new ArgumentException($"{path}: this is no model of the project");
        GameObject model = UnityEngine.Object.Instantiate(prefab);
        SkinnedMeshRenderer[] renderers = model.GetComponentsInChildren<SkinnedMeshRenderer>(true);
        // Parents come before their children.
        Transform[] nodes = model.GetComponentsInChildren<Transform>(true);
        Dictionary<Transform, int> indices = nodes.Select((node, index) => (node, index)).ToDictionary(pair => pair.node, pair => pair.index);
        var starts = nodes.Select(node => (node.localPosition, node.localRotation, node.localScale)).ToArray();
        Matrix4x4[] rests = nodes.Select(node => node.localToWorldMatrix).ToArray();
        bool[] joints = new bool[nodes.Length];
        foreach (SkinnedMeshRenderer renderer in renderers)
        {
            Matrix4x4[] binds = renderer.sharedMesh.bindposes;
            for (int bone = 0; bone < renderer.bones.Length; bone++)
            {
                int index = indices[renderer.bones[bone]];
                joints[index] = true;
                rests[index] = renderer.transform.localToWorldMatrix * binds[bone].inverse;
            }
        }
        AnimationClip[] clips = AssetDatabase.LoadAllAssetsAtPath(path).OfType<AnimationClip>()
            .Where(clip => !clip.name.StartsWith("__preview__")).ToArray();

        using MemoryStream body = new();
        using BinaryWriter numbers = new(body);
        List<string> meshes = renderers.Select(renderer => WriteMesh(renderer, indices, numbers)).ToList();
        List<string> takes = new();
        foreach (AnimationClip clip in clips)
        {
            // Nodes that the clip does not drive would stay where the clip before has left them.
            for (int node = 0; node < nodes.Length; node++)
                (nodes[node].localPosition, nodes[node].localRotation, nodes[node].localScale) = starts[node];
            int frames = Mathf.FloorToInt(clip.length * clip.frameRate + 0.001f);
            double[] times = Enumerable.Range(0, frames + 1).Select(frame => frame / (double)clip.frameRate).ToArray();
            foreach (double time in times)
            {
                clip.SampleAnimation(model, (float)time);
                foreach (Transform node in nodes)
                    Write(Columns(node.localToWorldMatrix), numbers);
                foreach (SkinnedMeshRenderer renderer in renderers)
                {
                    Mesh baked = new();
                    renderer.BakeMesh(baked, true);
                    WritePoints(baked.vertices, renderer.transform.localToWorldMatrix, numbers);
                    UnityEngine.Object.DestroyImmediate(baked);
                }
            }
            takes.Add($"{{\"name\":{Text(clip.name)},\"times\":[{Join(times)}]}}");
        }
        IEnumerable<string> headers = nodes.Select((node, index) =>
        {
            string parent = node.parent != null && indices.TryGetValue(node.parent, out int above) ? above.ToString() : "null";
            string joint = joints[index] ? "true" : "false";
            string rest = Join(Columns(rests[index]).Select(number => (double)number));
            return $"{{\"name\":{Text(node.name)},\"parent\":{parent},\"joint\":{joint},\"rest\":[{rest}]}}";
        });
        string header = "{\"schema\":\"skincheck/reference/1\",\"generator\":" + Text("Unity " + Application.unityVersion)
            + ",\"up\":\"+Y\",\"front\":\"+Z\",\"metres_per_unit\":1,\"nodes\":[" + string.Join(",", headers)
            + "],\"meshes\":[" + string.Join(",", meshes) + "],\"clips\":[" + string.Join(",", takes) + "]}\n";
        numbers.Flush();
        using FileStream file = File.Create(reference);
        file.Write(Encoding.UTF8.GetBytes(header));
        body.WriteTo(file);
        UnityEngine.Object.DestroyImmediate(model);
    }

    // The shape at rest: positions, triangles, influences. Returns its header.
    private static string WriteMesh(SkinnedMeshRenderer renderer, Dictionary<Transform, int> indices, BinaryWriter numbers)
    {
        Mesh mesh = renderer.sharedMesh;
        WritePoints(mesh.vertices, renderer.transform.localToWorldMatrix, numbers);
        int[] triangles = mesh.triangles;
        for (int corner = 0; corner < triangles.Length; corner += 3)
        {
            // Front faces of Unity are clockwise, and mirroring x reverses them.
            numbers.Write((uint)triangles[corner]);
            numbers.Write((uint)triangles[corner + 2]);
            numbers.Write((uint)triangles[corner + 1]);
        }
        NativeArray<byte> counts = mesh.GetBonesPerVertex();
        NativeArray<BoneWeight1> weights = mesh.GetAllBoneWeights();
        int most = counts.Length == 0 ? 0 : counts.Max();
        Transform[] skeleton = renderer.bones;
        List<uint> bones = new();
        List<float> shares = new();
        int start = 0;
        foreach (byte count in counts)
        {
            for (int slot = 0; slot < most; slot++)
            {
                BoneWeight1 own = slot < count ? weights[start + slot] : default;
                bones.Add((uint)indices[skeleton[own.boneIndex]]);
                shares.Add(own.weight);
            }
            start += count;
        }
        bones.ForEach(numbers.Write);
        shares.ForEach(numbers.Write);
        return $"{{\"name\":{Text(renderer.name)},\"node\":{indices[renderer.transform]},\"vertices\":{mesh.vertexCount},"
            + $"\"triangles\":{triangles.Length / 3},\"influences\":{most}}}";
    }

    private static void WritePoints(Vector3[] points, Matrix4x4 matrix, BinaryWriter numbers)
    {
        foreach (Vector3 point in points)
        {
            Vector3 world = matrix.MultiplyPoint3x4(point);
            Write(new[] { -world.x, world.y, world.z }, numbers);
        }
    }

    private static void Write(float[] values, BinaryWriter numbers)
    {
        foreach (float value in values)
            numbers.Write(value);
    }

    // The 16 numbers of a matrix by columns, with x mirrored on both sides.
    private static float[] Columns(Matrix4x4 matrix)
    {
        Matrix4x4 mirror = Matrix4x4.Scale(new Vector3(-1, 1, 1));
        Matrix4x4 mirrored = mirror * matrix * mirror;
        return Enumerable.Range(0, 16).Select(index => mirrored[index]).ToArray();
    }

    private static string Join(IEnumerable<double> values) =>
        string.Join(",", values.Select(value => value.ToString("R", CultureInfo.InvariantCulture)));

    private static string Text(string text)
    {
        StringBuilder quoted = new("\"");
        foreach (char letter in text)
        {
            if (letter == '"' || letter == '\\' || letter < ' ')
                quoted.Append($"\\u{(int)letter:x4}");
            else
                quoted.Append(letter);
        }
        return quoted.Append('"').ToString();
    }
}
