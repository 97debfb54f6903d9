import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { validConfig } from '../bind.ts'
import type { PlacementPolicy, Placer, Request } from '../contract.ts'
import { request } from './ask.ts'

/** A policy bound to one topology under one config, as the checks use it. */
export interface Subject {
  readonly policy: PlacementPolicy<any, any>
  readonly topology: Topology
  readonly config: unknown
  readonly placer: Placer<any>
  /** A new placer from the same input, to show that answers do not depend on what a placer was asked before. */
  readonly anotherPlacer: () => Placer<any>
  readonly label: string
}

/** Which configs and topologies the conformance suite checks a policy under, and how often. */
export interface CheckOptions {
  /** Configs to check the policy under. Default: the empty one. */
  readonly configs?: ReadonlyArray<unknown>
  /** Topologies to check it on, besides small ones of every kind. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Random histories on each topology. Default 4. */
  readonly histories?: number
}

/** Small machines of every kind: full bisection, tapered, parallel cables, two levels, deep, and a graph with uneven leaves. */
export function sampleTopologies(): ReadonlyArray<Topology> {
  return [
    ...[
      'radix:4',
      'radix:6',
      'radix:8',
      'pgft:3;4,3,3;1,2,2;1,1,1',
      'pgft:3;4,4,3;1,4,2;1,1,2',
      'pgft:3;4,3,3;1,2,2;1,2,2',
      'pgft:2;4,6;1,4;1,1',
      'pgft:1;9;1;1',
      'kary:2:4',
    ].map((spec) => parseTopology(spec)),
    switchGraph({
      name: 'graph',
      leaves: [3, 5, 2, 4],
      parents: [
        [[0, 1], [0, 1], [2], [2]],
        [[0], [0], [0]],
      ],
    }),
  ]
}

/** The policy on every sample topology that it serves, under every config; and why not, where it does not. */
export function subjectsOf(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions,
): { served: Array<Subject>; unsupported: Array<string> } {
  const served: Array<Subject> = []
  const unsupported: Array<string> = []
  for (const config of options.configs ?? [{}]) {
    for (const topology of [...sampleTopologies(), ...(options.topologies ?? [])]) {
      const label = `${topology.name} with ${JSON.stringify(config)}`
      const valid = validConfig(policy, config)
      const placer = policy.make(topology, valid)
      const another = policy.make(topology, valid)
      if ('unsupported' in placer) unsupported.push(`${label}: ${placer.unsupported}`)
      else if ('unsupported' in another)
        throw new Error(`${label}: served only the first time; then: ${another.unsupported}`)
      else
        served.push({
          policy,
          topology,
          config,
          placer,
          label,
          anotherPlacer: () => policy.make(topology, valid) as Placer<any>,
        })
    }
  }
  return { served, unsupported }
}

export function requestFor(nodes: number, purpose: Request['purpose'] = 'start'): Request {
  return request(nodes, {
    purpose,
    job: `of-${nodes}`,
    now: 120_000,
    submitted: 60_000,
    estimate: 3_600_000,
    bandwidth: 500,
    communication: { pattern: 'all-to-all', share: 500 },
  })
}
