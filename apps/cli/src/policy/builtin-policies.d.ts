/** Made by build.mjs from packages/policies. */
declare module 'cloister:builtin-policies' {
  import type { AnyPolicy } from './policy-lookup.ts'
  export const builtinPolicies: ReadonlyArray<AnyPolicy>
}
declare const CLOISTER_VERSION: string
