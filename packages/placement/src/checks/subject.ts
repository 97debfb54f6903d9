import type { Topology } from '@cloister/topology'
import { validConfig } from '../bind.ts'
import type { PlacementPolicy, Placer, Request } from '../contract.ts'
import type { StateView } from '../view.ts'
import { givenMachine, type Machine, sampleMachines } from './machines.ts'

/** A policy bound to one topology under one config, as the checks use it. */
export interface Subject {
  readonly machine: Machine
  readonly topology: Topology
  readonly config: unknown
  readonly placer: Placer<any>
  /** A new placer from the same input, to show that answers do not depend on what a placer was asked before. */
  readonly anotherPlacer: () => Placer<any>
  readonly label: string
  readonly options: CheckOptions
}

/** Which configs and topologies the conformance suite checks a policy under, how often, and how long it may take. */
export interface CheckOptions {
  /** Configs to check the policy under. Default: the empty one. */
  readonly configs?: ReadonlyArray<unknown>
  /** Topologies to check it on, besides those of the suite. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Random histories on each small topology, and fewer on large ones. Default 4. */
  readonly histories?: number
  /**
   * Whether a complete policy takes equal subtrees for equal, so that what it grants on some nodes it grants on the same
   * nodes of other leaves and pods. Default true; false for one that leaves part of the machine to others.
   */
  readonly symmetric?: boolean
  /** Where a placement surely exists, so that a complete policy must find one; the author's knowledge of its class. */
  readonly mustPlace?: (topology: Topology, state: StateView, request: Request) => boolean
  /** What one question may take, ms; what hangs is stopped after some more of them. Default 1000. */
  readonly maxPlaceMs?: number
  /** What all questions together may take, s. Default 60. */
  readonly seconds?: number
  /** Told now and then how far the histories are. */
  readonly onProgress?: (progress: CheckProgress) => void
}

/** How far the histories are. */
export interface CheckProgress {
  readonly machine: string
  readonly done: number
  readonly total: number
  readonly questions: number
  readonly seconds: number
}

/** The policy on every sample topology that it serves, under every config; and why not, where it does not. */
export function subjectsOf(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions,
): { served: Array<Subject>; unsupported: Array<string> } {
  const served: Array<Subject> = []
  const unsupported: Array<string> = []
  // By machines first: what fails under any config is shown on the smallest.
  for (const machine of [...sampleMachines(), ...(options.topologies ?? []).map(givenMachine)]) {
    for (const config of options.configs ?? [{}]) {
      const { topology } = machine
      const label = `${topology.name} with ${JSON.stringify(config)}`
      const valid = validConfig(policy, config)
      const placer = policy.make(topology, valid)
      const another = policy.make(topology, valid)
      if ('unsupported' in placer) unsupported.push(`${label}: ${placer.unsupported}`)
      else if ('unsupported' in another)
        throw new Error(`${label}: served only the first time; then: ${another.unsupported}`)
      else {
        const anotherPlacer = (): Placer<any> => policy.make(topology, valid) as Placer<any>
        served.push({ machine, topology, config, placer, anotherPlacer, label, options })
      }
    }
  }
  return { served, unsupported }
}
