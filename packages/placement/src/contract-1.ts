import type { Claims, IndexHooks, Outcome, PlacementPolicy, Placer, Request } from './contract.ts'
import { hasPlacerMembers } from './placer-defect.ts'
import type { Topology } from '@cloister/topology'
import type { StateView } from './view.ts'

/** Claims of contract 1, which has other names for shared links ('none') and for speed-up scenarios (`speedup`). */
type Claims1 = Omit<Claims, 'links' | 'speedupScenarios'> & {
  readonly links: 'owned' | 'capped' | 'rule' | 'none'
  readonly speedup: boolean
}

/** Request of contract 1, which calls the estimate `walltime` and has no instant of submission. */
type Request1 = Omit<Request, 'submitted' | 'estimate'> & { readonly walltime: number | undefined }

interface Placer1<Index> {
  readonly claims: Claims1
  readonly linkCapacity?: number
  place(state: StateView, request: Request1, index: Index): Outcome
  requestKey?(request: Request1): string | number | undefined
  readonly index?: IndexHooks<Index>
}

/** A policy written for version 1 of the contract. */
export type PlacementPolicy1<Config, Index = undefined> = Omit<PlacementPolicy<Config, Index>, 'contract' | 'make'> & {
  readonly contract: 1
  make(topology: Topology, config: Config): Placer1<Index> | { readonly misfit: string }
}

/** A policy of any served version of the contract. */
export type AnyContract<Config, Index> = PlacementPolicy<Config, Index> | PlacementPolicy1<Config, Index>

/**
 * Returns the exported policy or an alternative, the one with the newest served contract version. Returns
 * the exported policy if no version is served.
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

/** Returns the policy under the current contract. A policy of contract 1 is wrapped and gets requests of contract 1. */
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
      // Any other value passes through, because bindPolicy reports it.
      return typeof made === 'object' && made !== null && 'misfit' in made ? { unsupported: made.misfit } : made
    },
  }
}

/** Returns the reason why a contract version is not served and the package to update, or undefined if it is served. */
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
