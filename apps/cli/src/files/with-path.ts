/** Runs code, and sets the path in an error of the operating system. The error may name another file or no file. */
export function withPath<A>(path: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw Object.assign(error, { path })
    throw error
  }
}
