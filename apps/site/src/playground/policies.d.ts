/** The packages of packages/policies, by their names: the build writes this module. */
declare module 'site:policies' {
  import type { AnyPolicy } from '@cloister/run'
  export const policies: ReadonlyArray<AnyPolicy>
}

/** Their names alone. */
declare module 'site:policy-names' {
  export const policies: ReadonlyArray<string>
}

/** What the build knows of the page: the code of a policy to start from, out of the tutorial. */
declare module 'site:policy-to-start-from' {
  export const code: string
}

/** The types of the contract, as the compiler knows them. */
declare module 'site:contract-types' {
  import type { ContractTypes } from './contract-types.ts'
  export const types: ContractTypes
}

/** The declarations of the contract's packages and of the language, for a compiler. */
declare module 'site:contract-declarations' {
  import type { Declarations } from './type-checker.ts'
  export const declarations: Declarations
}
