import type { Claims, IndexHooks, Outcome, PlacementPolicy, Placer, Request } from './contract.ts'
import { hasPlacerMembers } from './placer-defect.ts'
import type { Topology } from '@cloister/topology'
import type { StateView } from './view.ts'

/** What contract 1 called otherwise: the claim of shared links, and that of speed-up scenarios. */
type Claims1 = Omit<Claims, 'links' | 'speedupScenarios'> & {
  readonly links: 'owned' | 'capped' | 'rule' | 'none'
  readonly speedup: boolean
}

/** Contract 1 called the estimate `walltime`, and did not tell when a job was submitted. */
type Request1 = Omit<Request, 'submitted' | 'estimate'> & { readonly walltime: number | undefined }

interface Placer1<Index> {
  readonly claims: Claims1
  readonly linkCapacity?: number
  place(state: StateView, request: Request1, index: Index): Outcome
  requestKey?(request: Request1): string | number | undefined
  readonly index?: IndexHooks<Index>
}

/** A policy that was written against version 1 of the contract. */
export type PlacementPolicy1<Config, Index = undefined> = Omit<PlacementPolicy<Config, Index>, 'contract' | 'make'> & {
  readonly contract: 1
  make(topology: Topology, config: Config): Placer1<Index> | { readonly misfit: string }
}

/** A policy of any version of the contract that is served. */
export type AnyContract<Config, Index> = PlacementPolicy<Config, Index> | PlacementPolicy1<Config, Index>

/**
 * The policy, among what a module exports and its `alternatives`, that is under the newest contract that is served here.
 * Where none is, what was exported.
 */
export function newestServed<A>(exported: A): A {
  const { alternatives } = (exported ?? {}) as { readonly alternatives?: unknown }
  const offered: ReadonlyArray<A> = [exported, ...(Array.isArray(alternatives) ? (alternatives as Array<A>) : [])]
  const served = offered.filter((each) => contractDefect(contractOf(each)) === undefined)
  return served.sort((a, b) => Number(contractOf(b)) - Number(contractOf(a)))[0] ?? exported
}

function contractOf(policy: unknown): unknown {
  return ((policy ?? {}) as { readonly contract?: unknown }).contract
}

/** The policy under today's contract. A policy of contract 1 gets requests in the words of its contract, and decides the same. */
export function currentPolicy<Config, Index>(policy: AnyContract<Config, Index>): PlacementPolicy<Config, Index> {
  if (policy.contract !== 1) return policy
  return {
    contract: 2,
    name: policy.name,
    version: policy.version,
    config: policy.config,
    make(topology, config) {
      const made = policy.make(topology, config)
      if (hasPlacerMembers(made)) return currentPlacer(made)
      // What is neither a placer nor a reason, bindPolicy refuses by name.
      return typeof made === 'object' && made !== null && 'misfit' in made ? { unsupported: made.misfit } : made
    },
  }
}

/** Why a policy of such a contract cannot be served, and what to update; undefined where it can. */
export function contractDefect(contract: unknown): string | undefined {
  if (contract === 1 || contract === 2) return undefined
  const found = `contract is ${JSON.stringify(contract) ?? 'missing'}; contracts 1 and 2 are known here`
  return Number.isInteger(contract) && (contract as number) > 2
    ? `${found}: update @cloister/placement, or the program that brings it (cloister)`
    : `${found}: update the policy's package`
}

function currentPlacer<Index>(placer: Placer1<Index>): Placer<Index> {
  const { claims, linkCapacity, index } = placer
  return {
    claims: currentClaims(claims),
    ...(linkCapacity === undefined ? {} : { linkCapacity }),
    ...(index === undefined ? {} : { index }),
    place: (state, request, index) => placer.place(state, requestOf(request), index),
    ...(placer.requestKey === undefined
      ? {}
      : { requestKey: (request: Request) => placer.requestKey!(requestOf(request)) }),
  }
}

function currentClaims({ links, speedup, ...same }: Claims1): Claims {
  return { ...same, links: links === 'none' ? 'shared' : links, speedupScenarios: speedup }
}

function requestOf({ purpose, job, nodes, now, estimate, bandwidth, communication }: Request): Request1 {
  return { purpose, job, nodes, now, walltime: estimate, bandwidth, communication }
}
