/** Error for a policy that called `process.exit`. */
export class ExitCalledError extends Error {
  override readonly name: string = 'ExitCalledError'
  constructor(code: number | string | undefined) {
    super(`the policy called process.exit(${code ?? ''}), which would end the whole program`)
  }
}

interface Process {
  exit: (code?: number | string) => unknown
  getBuiltinModule?: (name: 'module') => { readonly syncBuiltinESMExports: () => void }
}

/**
 * Makes `process.exit` throw an ExitCalledError, also under an import from `node:process`. Policies are foreign code,
 * and an exit would end the whole program without a message. Returns a function that allows the exit again.
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
