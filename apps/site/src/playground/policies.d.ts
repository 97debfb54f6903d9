/** The policies of packages/policies. The build writes this module. */
declare module 'site:policies' {
  import type { AnyPolicy } from '@cloister/run'
  export const policies: ReadonlyArray<AnyPolicy>
}

/** Names of the policies. */
declare module 'site:policy-names' {
  export const policies: ReadonlyArray<string>
}

/** Example code of a policy from the tutorial. The build writes this module. */
declare module 'site:policy-to-start-from' {
  export const code: string
}

/** Types of the policy contract, from the compiler. */
declare module 'site:contract-types' {
  import type { ContractTypes } from './contract-types.ts'
  export const types: ContractTypes
}

/** Declarations of the contract's packages and of the language, for the compiler. */
declare module 'site:contract-declarations' {
  import type { Declarations } from './type-checker.ts'
  export const declarations: Declarations
}
