import { parseTopology, type SwitchGraph, switchGraph, type Topology } from '@cloister/topology'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OriginalTopology } from './originals.ts'
import { validConfig } from '../bind.ts'
import type { PlacementPolicy, Placer, Request } from '../contract.ts'
import type { StateView } from '../view.ts'

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
  /** Sizes of the jobs that the policy has placed on an empty machine of the suite, under the same config. */
  readonly placedSizes: Set<number>
}

/** Options of the conformance suite: configs, topologies, number of histories and time limits. */
export interface CheckOptions {
  /** Configs under which the suite checks the policy. Default: the empty config, {}. */
  readonly configs?: ReadonlyArray<unknown>
  /** Topologies for the checks, in addition to the topologies of the suite. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Number of random histories on each small topology; a quarter on a topology of more than 60 nodes. Default 4. */
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
  const configs = (options.configs ?? [{}]).map((config) => ({ config, placedSizes: new Set<number>() }))
  // The outer loop goes over the machines, so that a fault under any config is shown on the first machine with the fault.
  for (const machine of [...sampleMachines(), ...(options.topologies ?? []).map(givenMachine)]) {
    const { topology } = machine
    // A suite that was stopped within a call may have left a changed topology.
    machine.original.changedPart()
    for (const { config, placedSizes } of configs) {
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
        served.push({ machine, topology, config, placer, anotherPlacer, label, options, placedSizes })
      }
    }
  }
  return { served, unsupported }
}

/** Topology on which the suite checks policies. `code` makes the topology in a printed test. */
interface Machine {
  readonly topology: Topology
  /** Copy of the topology, made before the first call of `make`. */
  readonly original: OriginalTopology
  readonly code: string
  /** True if one short history is enough, because the machine differs from others in few respects. */
  readonly isBrief: boolean
}

/**
 * Small trees with one to four levels: full bisection, tapered, with parallel cables. Small trees come first, because
 * the suite shows a fault on the first machine that has the fault.
 */
const trees = [
  'radix:4',
  'radix:6',
  'radix:8',
  'pgft:3;4,3,3;1,2,2;1,1,1',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:3;4,3,3;1,2,2;1,2,2',
  'pgft:2;4,6;1,4;1,1',
  'pgft:1;9;1;1',
  'kary:2:4',
]

/**
 * Trees of three levels with one pod, full and tapered 4:1; trees whose leaves are tapered 4:1 and 8:1. A tapered tree
 * has so many leaves that a job with one uplink for each node can be larger than a leaf.
 */
const briefTrees = [
  'pgft:3;4,3,1;1,4,3;1,1,1',
  'pgft:3;8,6,1;1,2,3;1,1,1',
  'pgft:2;12,6;1,3;1,1',
  'pgft:2;16,9;1,2;1,1',
]

/**
 * Trees that exceed the 32 bits of a mask word: over 32 and over 64 nodes and up-ports of a leaf, over 32 leaves of a
 * pod, over 64 up-ports of an L2 switch, over 64 pods. The last tree has the size of a cluster instead: 686 nodes.
 */
const wideTrees = [
  'pgft:2;40,3;1,40;1,1',
  'pgft:2;70,2;1,70;1,1',
  'pgft:3;2,40,2;1,2,96;1,1,1',
  'pgft:3;2,2,70;1,2,2;1,1,1',
  'radix:14',
]

/** Tree without some nodes, cables, and a switch of each level. */
const treeWithoutParts =
  'pgft:3;4,3,3;1,4,2;1,1,1 without nodes 3,9-11; leaf 4; leaf 1 ports 0; leaf 6 ports 2; L2 5; L2 9 ports 1; spine 7'

/** Small tree with two rails, which have common spines. */
const treeWithRails = '2 rails with common spines of pgft:3;4,3,4;1,4,2;1,1,1'

/** Tree of 1152 nodes with 96 nodes and up-ports on each leaf. */
const largestTree = 'pgft:2;96,12;1,96;1,1'

const unevenLeaves = {
  name: 'graph',
  leaves: [3, 5, 2, 4],
  parents: [
    [[0, 1], [0, 1], [2], [2]],
    [[0], [0], [0]],
  ],
}

const wideLeaves = {
  name: 'wide graph',
  leaves: [70, 40, 64, 32, 3, 65, 70, 33, 128, 31, 96],
  parents: [
    [[0], [0], [0], [0], [1], [1], [1], [1], [2], [2], [2]],
    [[0], [0], [0]],
  ],
}

let samples: ReadonlyArray<Machine> | undefined

/** All suites share the machines, because the suite restores a topology after a policy has written to it. */
function sampleMachines(): ReadonlyArray<Machine> {
  samples ??= [
    ...trees.map((spec) => tree(spec)),
    graph(unevenLeaves),
    ...briefTrees.map((spec) => tree(spec, true)),
    ...wideTrees.map((spec) => tree(spec)),
    tree(largestTree, true),
    graph(wideLeaves),
    tree(treeWithoutParts),
    tree(treeWithRails),
  ]
  return samples
}

function tree(spec: string, isBrief = false): Machine {
  const topology = parseTopology(spec)
  return { topology, original: new OriginalTopology(topology), code: `parseTopology('${spec}')`, isBrief }
}

function graph(data: SwitchGraph): Machine {
  const list = (values: SwitchGraph['leaves'] | SwitchGraph['parents']): string =>
    JSON.stringify(values).replaceAll(',', ', ')
  const code = `switchGraph({
    name: '${data.name}',
    leaves: ${list(data.leaves)},
    parents: ${list(data.parents)},
  })`
  const topology = switchGraph(data)
  return { topology, original: new OriginalTopology(topology), code, isBrief: false }
}

/** Returns a machine of the option `topologies`. A printed test names an irregular one by the variable `topology`. */
function givenMachine(topology: Topology): Machine {
  return {
    topology,
    original: new OriginalTopology(topology),
    code: topology.pgft === undefined ? `topology /* ${topology.name} */` : `parseTopology('${topology.name}')`,
    isBrief: false,
  }
}

/** Returns the number of nodes of the leaf with the most nodes. */
export function largestLeaf({ leaves, firstNodeOfLeaf }: Topology): number {
  let most = 0
  for (let leaf = 0; leaf < leaves; leaf++) most = Math.max(most, firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  return most
}

interface Manifest {
  readonly path: string
  readonly name?: string
  readonly version?: string
}

/** Returns the nearest package.json with a name in the folders above a file, whatever the working directory. */
export function manifestAround(file: string): Manifest | undefined {
  const folder = dirname(file)
  const path = join(folder, 'package.json')
  const manifest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Omit<Manifest, 'path'>) : {}
  // A package.json without a name belongs to no package; it sets, for example, the module type of a folder.
  if (manifest.name !== undefined) return { ...manifest, path }
  return folder === dirname(folder) ? undefined : manifestAround(folder)
}

/** Returns a message if the version or the name of a policy does not fit its package; undefined if both fit. */
export function manifestDefect(
  policy: PlacementPolicy<any, any>,
  manifest: { readonly name?: string; readonly version?: string },
): string | undefined {
  if (policy.version !== manifest.version)
    return `the policy's version is ${policy.version}, but the package's version is ${manifest.version}; make both equal`
  const name = manifest.name ?? ''
  if (name !== policy.name && !name.endsWith(`-${policy.name}`) && !name.endsWith(`/${policy.name}`)) {
    return `the policy's name is ${policy.name}, but the package is called ${name}; expected ${policy.name}, or a name that ends in -${policy.name} or /${policy.name}`
  }
  return undefined
}
