/** Made by build.mjs from packages/policies. */
declare module 'cloister:builtin-policies' {
  import type { AnyPolicy } from './policy-lookup.ts'
  export const builtinPolicies: ReadonlyArray<AnyPolicy>
}
/** Their READMEs, by name. */
declare module 'cloister:builtin-readmes' {
  export const builtinReadmes: Readonly<Record<string, string | undefined>>
}
declare const CLOISTER_VERSION: string
