import type { Topology } from '@cloister/topology'
import { validConfig } from '../bind.ts'
import type { PlacementPolicy, Placer, Request } from '../contract.ts'
import type { StateView } from '../view.ts'
import { givenMachine, type Machine, sampleMachines } from './machines.ts'

/** Policy under test, bound to one topology under one config. */
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
  /** Configs under which the suite checks the policy. Default: the empty config, {}. */
  readonly configs?: ReadonlyArray<unknown>
  /** Topologies for the checks, in addition to the topologies of the suite. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Number of random histories on each topology of at most 60 nodes; a quarter on a larger topology. Default 4. */
  readonly histories?: number
  /**
   * True if a complete policy must find each placement also on equal leaves and pods. False for a policy that never
   * uses some leaves or pods. Default true.
   */
  readonly symmetric?: boolean
  /**
   * Returns true if the state has a placement of the policy's class, so that a complete policy must find one. Only the
   * author knows the class. Default: not tested.
   */
  readonly mustPlace?: (topology: Topology, state: StateView, request: Request) => boolean
  /** Time limit of one call of `place`, in ms. A call that hangs is stopped after at least 3 s. Default 1000. */
  readonly maxPlaceMs?: number
  /** Time limit of all calls of `place` together, in s. Default 60. */
  readonly seconds?: number
  /** Receives the progress after each history. Default of `policyChecks`: no reports. */
  readonly onProgress?: (progress: CheckProgress) => void
}

/**
 * `done` of `total` random histories are complete, after `questions` calls of `place` and `seconds` s. `machine` is the
 * topology of the last history.
 */
export interface CheckProgress {
  readonly machine: string
  readonly done: number
  readonly total: number
  readonly questions: number
  readonly seconds: number
}

/**
 * Binds a policy to every topology of the suite and of the options, under every config. `unsupported` names the
 * topologies that the policy does not serve, with reasons.
 */
export function subjectsOf(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions,
): { served: Array<Subject>; unsupported: Array<string> } {
  const served: Array<Subject> = []
  const unsupported: Array<string> = []
  // The outer loop goes over the machines, so that a fault under any config is shown on the first machine with the fault.
  for (const machine of [...sampleMachines(), ...(options.topologies ?? []).map(givenMachine)]) {
    for (const config of options.configs ?? [{}]) {
      const { topology } = machine
      const label = `${topology.name} with ${JSON.stringify(config)}`
      const valid = validConfig(policy, config)
      const placer = policy.make(topology, valid)
      const another = policy.make(topology, valid)
      if ('unsupported' in placer) unsupported.push(`${label}: ${placer.unsupported}`)
      else if ('unsupported' in another)
        throw new Error(
          `${label}: make served the topology at the first call, but not at the second call: ${another.unsupported}`,
        )
      else {
        const anotherPlacer = (): Placer<any> => policy.make(topology, valid) as Placer<any>
        served.push({ machine, topology, config, placer, anotherPlacer, label, options })
      }
    }
  }
  return { served, unsupported }
}
