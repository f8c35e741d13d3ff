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

# assimp compiles in less than half the time with the sources of a folder as one and little optimization: reading a file is a small
# part of what skincheck does. Excluded are names that collide, and users of a header without a guard.
if(UNIX)
  set(CMAKE_C_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "" FORCE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "" FORCE)
  function(group_sources)
    if(TARGET assimp)
      set_target_properties(assimp PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
      get_target_property(all assimp SOURCES)
      foreach(folder AssetLib/FBX AssetLib/Ogre Common PostProcessing)
        set(group ${all})
        list(FILTER group INCLUDE REGEX "^${folder}/.*\\.cpp$")
        list(FILTER group EXCLUDE REGEX "(Importer|IOSystem|Subdivision|FindDegenerates|ComputeUVMappingProcess)\\.cpp$")
        list(TRANSFORM group PREPEND "${CMAKE_SOURCE_DIR}/code/")
        set_source_files_properties(${group} TARGET_DIRECTORY assimp PROPERTIES UNITY_GROUP ${folder})
      endforeach()
    endif()
  endfunction()
  cmake_language(DEFER CALL group_sources)
endif()
