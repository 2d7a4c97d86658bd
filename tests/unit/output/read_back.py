# tests/unit/output/read_back.py: reads a mesh file with meshio or assimp and prints its points, triangles and fields as plain numbers
import subprocess
import sys


def read_obj(path):
    """What assimp made of a .glb: points with colours, and triangles."""
    points, colours, faces = [], [], []
    for line in open(path):
        words = line.split()
        if words and words[0] == "v":
            points.append([float(w) for w in words[1:4]])
            colours.append([float(w) for w in words[4:7]])
        elif words and words[0] == "f":
            faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    return points, faces, {"red": [c[0] for c in colours] if colours[0] else []}


def read_with_meshio(path):
    import meshio

    mesh = meshio.read(path)
    return mesh.points, mesh.cells_dict["triangle"], mesh.point_data


def main(path):
    if path.endswith(".glb"):
        subprocess.run(["assimp", "export", path, path + ".obj"], check=True, stdout=subprocess.DEVNULL)
        points, faces, fields = read_obj(path + ".obj")
    else:
        points, faces, fields = read_with_meshio(path)
    print(len(points), len(faces))
    for point in points:
        print(*(repr(float(x)) for x in point))
    for face in faces:
        print(*face)
    for name in sorted(fields):
        values = fields[name]
        if len(values) and not hasattr(values[0], "__len__"):
            print("field", name, *(repr(float(x)) for x in values))


main(sys.argv[1])
