/**
 * Version 1 of the placement-policy contract as it was published, copied as an author who wants no dependency would. Never change it:
 * policies were published against it, and must load for good.
 */
export interface Topology {
  readonly nodes: number
  readonly leaves: number
}

export interface StateView {
  readonly freeNodes: number
  freeNodesOnLeaf(leaf: number): number
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number
}

export interface Claims {
  readonly links: 'owned' | 'capped' | 'rule' | 'none'
  readonly rule?: string
  readonly fullBandwidth: boolean
  readonly exactSize: boolean
  readonly monotone: boolean
  readonly complete: boolean
  readonly speedup: boolean
}

export interface Request {
  readonly purpose: 'start' | 'reserve' | 'backfill'
  readonly job: string
  readonly nodes: number
  readonly now: number
  readonly walltime: number | undefined
  readonly bandwidth: number | undefined
  readonly communication: { readonly pattern: string; readonly share: number } | undefined
}

export type Outcome =
  | { readonly ok: true; readonly nodes: ArrayLike<number>; readonly links: ReadonlyArray<ArrayLike<number>> }
  | { readonly ok: false; readonly code: 'too-few-nodes'; readonly free: number }
  | { readonly ok: false; readonly code: 'never'; readonly constraint: string }

export interface IndexHooks<Index> {
  build(state: StateView): Index
  copy(from: Index, into: Index): void
  changed(index: Index, state: StateView, leaves: ArrayLike<number>, upper: ArrayLike<number>): void
}

export interface Placer<Index> {
  readonly claims: Claims
  place(state: StateView, request: Request, index: Index): Outcome
  requestKey?(request: Request): string | number | undefined
  readonly index?: IndexHooks<Index>
}

export interface PlacementPolicy<Config, Index> {
  readonly contract: 1
  readonly name: string
  readonly version: string
  readonly config: {
    readonly '~standard': {
      readonly version: 1
      readonly vendor: string
      readonly validate: (
        value: unknown,
      ) => { readonly value: Config } | { readonly issues: ReadonlyArray<{ readonly message: string }> }
    }
  }
  make(topology: Topology, config: Config): Placer<Index> | { readonly misfit: string }
}
