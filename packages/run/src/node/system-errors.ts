/** Calls `run`. Sets `path` in an error of the operating system, because the error may name another file or none. */
export function withPath<A>(path: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw Object.assign(error, { path })
    throw error
  }
}
