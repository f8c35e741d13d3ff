# Seeds assimp's CMake cache: only the importers that carry skeletons or meshes worth skinning, and no exporter.
# cmake-rs takes CMAKE_TOOLCHAIN_FILE from the environment (.cargo/config.toml); nothing here changes the toolchain.
foreach(option ASSIMP_BUILD_ALL_IMPORTERS_BY_DEFAULT ASSIMP_BUILD_ALL_EXPORTERS_BY_DEFAULT ASSIMP_INJECT_DEBUG_POSTFIX)
  set(${option} OFF CACHE BOOL "" FORCE)
endforeach()
set(ASSIMP_NO_EXPORT ON CACHE BOOL "" FORCE)
# MDL is read with the normal table of MD2.
foreach(format B3D BVH COLLADA FBX GLTF IQM M3D MD2 MD5 MDL MS3D OBJ OGRE SMD X)
  set(ASSIMP_BUILD_${format}_IMPORTER ON CACHE BOOL "" FORCE)
endforeach()
# assimp decides about M3D before it reads this file, so its decision is undone here.
remove_definitions(-DASSIMP_BUILD_NO_M3D_IMPORTER)
