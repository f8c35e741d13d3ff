/** An error of a file system, with the code that Node uses, such as `ENOENT`. */
export class Fault extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}
