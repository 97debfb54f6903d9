/**
 * Runs a function, and sets the path in an error of the operating system, because the error may name another or no
 * file.
 */
export function withPath<A>(path: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw Object.assign(error, { path })
    throw error
  }
}
