/** Files by path. Paths are absolute, with `/`. */
export type Files = Record<string, Uint8Array | string>;

/** A file system in memory, which several runs can share. */
export class Memory {
  /** @param files its first files; their bytes are not copied */
  constructor(files?: Files | Map<string, Uint8Array | string>);
  /** The files that were written since the last call, by path. */
  takeChanged(): Record<string, Uint8Array>;
}

export interface Options {
  /** The files that the program sees. */
  files?: Files | Map<string, Uint8Array | string>;
  /** The file system, instead of `files`. */
  disk?: Memory;
  /** The working folder, to which paths in the arguments are relative. Default: `/`. */
  cwd?: string;
  /** Environment variables. */
  env?: Record<string, string | undefined>;
  /** The most memory, in MiB, from 64 to 4096. Default: 4096, or what the system grants. */
  memory?: number;
  /**
   * Called with each part of the output, which the result then lacks.
   *
   * @param stream 1 for standard output, 2 for standard error
   */
  print?: (stream: 1 | 2, bytes: Uint8Array) => void;
}

export interface Result {
  /** As documented for the command: 0 success, 1 errors or differences found, 2 could not run. */
  code: number;
  stdout: string;
  stderr: string;
  /** The files that were written, by absolute path. */
  files: Record<string, Uint8Array>;
}

/**
 * Runs the `skincheck` command and resolves at its end. The run occupies the thread; call it in a worker where others wait.
 *
 * @param args the command line, without the program's name, such as `['check', '--format', 'json', 'hero.glb']`
 */
export function run(args: readonly string[], options?: Options): Promise<Result>;

/** Compiles the program, once; `run` does it by itself. */
export function compile(): Promise<WebAssembly.Module>;
