/** What the operating system says names the file that was asked for: not one beside it, nor none. */
export function withPath<A>(path: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw Object.assign(error, { path })
    throw error
  }
}
