import type { Topology } from '@cloister/topology'
import { validConfig } from '../bind.ts'
import type { PlacementPolicy, Placer, Request } from '../contract.ts'
import type { StateView } from '../view.ts'
import { givenMachine, type Machine, sampleMachines } from './machines.ts'

/** A policy bound to one topology under one config, for the checks. */
export interface Subject {
  readonly machine: Machine
  readonly topology: Topology
  readonly config: unknown
  readonly placer: Placer<any>
  /** Makes a new placer from the same input, to show that answers do not depend on earlier requests. */
  readonly anotherPlacer: () => Placer<any>
  readonly label: string
  readonly options: CheckOptions
}

/** Options of the conformance suite: configs, topologies, number of histories and time limits. */
export interface CheckOptions {
  /** Configs to check the policy under. Default: the empty one. */
  readonly configs?: ReadonlyArray<unknown>
  /** Topologies to check the policy on, in addition to the topologies of the suite. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Number of random histories on each small topology. Large topologies get a quarter. Default 4. */
  readonly histories?: number
  /**
   * True if a complete policy treats equal subtrees alike: a placement on some leaves and pods implies a placement on
   * others. False for a policy that never uses part of the machine. Default true.
   */
  readonly symmetric?: boolean
  /**
   * Returns true if a placement of the policy's class exists in the state, so that a complete policy must find one.
   * Only the author knows the class.
   */
  readonly mustPlace?: (topology: Topology, state: StateView, request: Request) => boolean
  /** Time limit of one call of `place`, in ms. A hanging call is stopped later, after at least 3 s. Default 1000. */
  readonly maxPlaceMs?: number
  /** Time limit of all calls of `place` together, in s. Default 60. */
  readonly seconds?: number
  /** Called after each history with the progress. */
  readonly onProgress?: (progress: CheckProgress) => void
}

/** Progress of the histories. `done` of `total` histories are complete. */
export interface CheckProgress {
  readonly machine: string
  readonly done: number
  readonly total: number
  readonly questions: number
  readonly seconds: number
}

/**
 * Binds a policy to every sample topology under every config. Also returns the reasons for topologies that are not
 * served.
 */
export function subjectsOf(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions,
): { served: Array<Subject>; unsupported: Array<string> } {
  const served: Array<Subject> = []
  const unsupported: Array<string> = []
  // Machines are the outer loop, so that a failure under any config shows on the smallest machine.
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
