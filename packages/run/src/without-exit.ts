/** What code that should only answer did instead. */
export class ExitCalledError extends Error {
  override readonly name: string = 'ExitCalledError'
  constructor(code: number | string | undefined) {
    super(`it called process.exit(${code ?? ''}), which would end the whole program`)
  }
}

/** Where there is a process, in Node: the parts that are needed here. */
interface Process {
  exit: (code?: number | string) => unknown
  getBuiltinModule?: (name: 'module') => { readonly syncBuiltinESMExports: () => void }
}

/**
 * From now on `process.exit` throws an ExitCalledError, however it was imported: policies are code of others, and what
 * they are asked in would end without a word. Gives what allows it again.
 */
export function forbidExit(): () => void {
  const { process } = globalThis as { readonly process?: Process }
  if (process === undefined) return () => {}
  const { exit } = process
  const set = (to: Process['exit']): void => {
    process.exit = to
    process.getBuiltinModule?.('module').syncBuiltinESMExports()
  }
  set((code) => {
    throw new ExitCalledError(code)
  })
  return () => set(exit)
}
