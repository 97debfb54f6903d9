// The exercises of the playground: their texts, and the code from which each exercise starts. The code of an exercise
// is a solution of the exercise before.

export interface Exercise {
  readonly name: string
  readonly title: string
  /** Task in two sentences. */
  readonly task: string
  readonly hint: string
  /** TypeScript code from which the exercise starts. */
  readonly code: string
}

/** Returns the code of a policy with a function `place`. */
function policyCode(name: string, place: string): string {
  return `import type { Outcome, PlacementPolicy, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

${place}
const policy: PlacementPolicy<object> = {
  contract: 1,
  name: '${name}',
  version: '1.0.0',
  make: (topology) => ({
    claims: {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: false,
      speedupScenarios: false,
    },
    place: (state, request) => place(topology, state, request),
  }),
  config: {
    '~standard': {
      version: 1,
      vendor: 'exercise',
      validate: (given) =>
        JSON.stringify(given) === '{}' ? { value: {} } : { issues: [{ message: 'the configuration must be empty' }] },
    },
  },
}
export default policy
`
}

const refusals = `  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
`

const firstNodes = `function place(topology: Topology, state: StateView, request: Request): Outcome {
${refusals}  const nodes: Array<number> = []
  for (let node = 0; nodes.length < request.nodes; node++) nodes.push(node)
  return { ok: true, nodes, links: [] }
}
`

const firstFit = firstNodes.replace('nodes.push(node)', 'if (state.isNodeFree(node)) nodes.push(node)')

const oneLeaf = `function place(topology: Topology, state: StateView, request: Request): Outcome {
${refusals}  const leafSize = topology.firstNodeOfLeaf[1]
  const isSmall = request.nodes <= leafSize
  const nodes: Array<number> = []
  for (let leaf = 0; leaf < topology.leaves && nodes.length < request.nodes; leaf++) {
    if (isSmall && state.freeNodesOnLeaf(leaf) < request.nodes) continue
    nodes.push(...freeNodes(state, leaf, leafSize).slice(0, request.nodes - nodes.length))
  }
  if (nodes.length < request.nodes) return { ok: false, code: 'no-placement', constraint: 'one leaf' }
  return { ok: true, nodes, links: [] }
}

function freeNodes(state: StateView, leaf: number, leafSize: number): Array<number> {
  const ids = new Int32Array(leafSize)
  return [...ids.subarray(0, state.freeNodeIds(leaf, ids))]
}
`

export const exercises: ReadonlyArray<Exercise> = [
  {
    name: 'first-fit',
    title: 'First fit',
    task: 'The policy should give each job the first free nodes, in the order of their numbers. The code below forgets that other jobs may hold the first nodes.',
    hint: 'state.isNodeFree(node) returns true if no job holds the node and the node is not down. Press Run to see the request at which the code fails.',
    code: policyCode('first-fit', firstNodes),
  },
  {
    name: 'leaf-at-a-time',
    title: 'A leaf at a time',
    task: 'A job of at most a leaf should get nodes of a single leaf, so that its messages cross no link. Such a job starts as soon as one leaf has enough free nodes; a larger job still gets the first free nodes.',
    hint: 'A leaf has topology.firstNodeOfLeaf[1] nodes. state.freeNodesOnLeaf(leaf) counts the free nodes of a leaf, and state.freeNodeIds(leaf, ids) writes their numbers into an Int32Array. If no leaf has enough free nodes, return a refusal with the code no-placement.',
    code: policyCode('leaf-at-a-time', firstFit),
  },
  {
    name: 'isolated-job',
    title: 'An isolated job',
    task: 'No two jobs should share a link: the policy claims links: ‘owned’, and lists the links of each job. A job of at most a leaf needs no link; a larger job up to the size of a pod gets whole leaves of one pod with all their uplinks.',
    hint: 'The leaves of a pod go from topology.firstLeafOfPod[pod] to topology.firstLeafOfPod[pod + 1] - 1. Take leaves on which all nodes are free; the uplinks of a leaf go from topology.levels[0].firstPort[leaf] to topology.levels[0].firstPort[leaf + 1] - 1, and all bits of state.portMask(0, leaf, 0) are set if all uplinks are free. List the uplinks in links[0], in ascending order; refuse a job with the code no-placement if no pod has enough such leaves, and with the code never if the job is larger than a pod.',
    code: policyCode('isolated-job', oneLeaf),
  },
]
