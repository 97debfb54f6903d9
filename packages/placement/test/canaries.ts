import { performance as importedPerformance } from 'node:perf_hooks'
import importedProcess from 'node:process'
import type { Outcome, Placement, Request } from '../src/contract.ts'
import { ClusterState } from '../src/state.ts'
import {
  allLinks,
  countedNodes,
  countHooks,
  firstFree,
  firstNodes,
  firstTwoLeaves,
  placing,
  type Policy,
  refused,
  refusing,
  sharedMachine,
  wholeMachine,
} from './sample-policies.ts'

/**
 * A policy that is wrong on purpose, and its mistake. The key in `canaries` is the name of the check that must fail.
 */
export interface Canary {
  readonly wrong: string
  readonly policy: Policy
  /** Text within the error message of the failed check. */
  readonly says: string | RegExp
}

const schema = (validate: (value: unknown) => unknown): Policy['config'] =>
  ({ '~standard': { version: 1, vendor: 'canary', validate } }) as Policy['config']
const withNodes = (placement: Placement, nodes: ReadonlyArray<number>): Placement => ({ ...placement, nodes })

export const canaries: Readonly<Record<string, ReadonlyArray<Canary>>> = {
  'has the members of its contract': [
    {
      wrong: 'a contract version of the future',
      policy: firstNodes({ policy: { contract: 7 } }),
      says: 'contract is 7; this @cloister/placement knows contract 1: update @cloister/placement',
    },
    {
      wrong: 'no contract',
      policy: firstNodes({ policy: { contract: undefined } }),
      says: 'contract is missing; this @cloister/placement knows contract 1: update the policy to contract 1',
    },
    {
      wrong: 'a name with capital letters and a space',
      policy: firstNodes({ policy: { name: 'First Nodes' } }),
      says: 'name is "First Nodes"',
    },
    {
      wrong: "a name that ends in '!'",
      policy: firstNodes({ policy: { name: 'first-nodes!' } }),
      says: 'name is "first-nodes!"',
    },
    {
      wrong: 'a version that is no semantic version',
      policy: firstNodes({ policy: { version: 'latest' } }),
      says: 'version is "latest"',
    },
    {
      wrong: 'no function make',
      policy: firstNodes({ policy: { make: undefined } }),
      says: "the policy's make is undefined; expected a function",
    },
  ],
  'accepts the empty config, and refuses a wrong config with a message': [
    {
      wrong: 'the empty config is refused',
      policy: firstNodes({ policy: { config: schema(() => ({ issues: [{ message: 'seed is missing' }] })) } }),
      says: 'seed is missing',
    },
    {
      wrong: 'any config is accepted',
      policy: firstNodes({ policy: { config: schema((value) => ({ value })) } }),
      says: 'the policy accepts the config 42',
    },
    {
      wrong: 'a wrong config is refused with an empty message',
      policy: firstNodes({
        policy: {
          config: schema((value) =>
            typeof value === 'object' && value !== null ? { value } : { issues: [{ message: '' }] },
          ),
        },
      }),
      says: 'without a message; expected a message',
    },
    {
      wrong: 'validates asynchronously',
      policy: firstNodes({ policy: { config: schema(async (value) => ({ value })) } }),
      says: 'synchronously',
    },
  ],
  'serves a topology, and gives the reason if it does not serve one': [
    {
      wrong: 'serves nothing',
      policy: firstNodes({ policy: { make: () => ({ unsupported: 'too early' }) } }),
      says: 'the policy serves no topology of the suite',
    },
    {
      wrong: 'an unsupported topology without a reason',
      policy: firstNodes({
        policy: {
          make: (topology: any) => (topology.pods === 4 ? { unsupported: '' } : firstNodes().make(topology, {})),
        },
      }),
      says: 'make returned an empty reason',
    },
    {
      wrong: 'claims capped links without a linkCapacity',
      policy: firstNodes({ claims: { links: 'capped' } }),
      says: 'linkCapacity',
    },
    {
      wrong: 'has a linkCapacity without the claim of capped links',
      policy: firstNodes({ linkCapacity: 4000 }),
      says: 'linkCapacity',
    },
    {
      wrong: 'make serves a topology only at the first call',
      policy: servesOnce(),
      says: 'at the first call, but not at the second call',
    },
  ],
  'every request gets an answer in time: a placement or a refusal': [
    {
      wrong: 'throws',
      policy: firstNodes({
        place: placing((placement, _, __, { nodes }) => {
          if (nodes === 3) throw new TypeError('nodes is not iterable')
          return placement
        }),
      }),
      says: 'place threw TypeError: nodes is not iterable',
    },
    ...(
      [
        ['nothing', undefined, 'place returned undefined (nothing)'],
        ['a promise', Promise.resolve(), 'place returned a promise'],
        ['true', true, 'place returned true'],
        ['an object that is neither placement nor refusal', { ok: 1 }, 'an object whose ok is 1'],
        ['a refusal without a code', { ok: false }, 'place returned a refusal with code undefined'],
        ['a refusal with an unknown code', { ok: false, code: 'busy' }, 'place returned a refusal with code "busy"'],
        [
          'a refusal too-few-nodes without a number of free nodes',
          { ok: false, code: 'too-few-nodes' },
          'place returned free undefined',
        ],
        [
          'a refusal search-bound without a number of steps',
          { ok: false, code: 'search-bound' },
          'place returned steps undefined',
        ],
        [
          'a placement whose nodes are a number instead of a list',
          { ok: true, nodes: 4, links: [] },
          'place returned nodes 4',
        ],
        ['a placement without links', { ok: true, nodes: [4] }, 'place returned links undefined'],
      ] as const
    ).map(([what, returned, says]) => ({
      wrong: `returns ${what}`,
      policy: firstNodes({ place: placing(() => returned as unknown as Outcome) }),
      says,
    })),
  ],
  'a placement names free nodes and links, ascending, each once': [
    {
      wrong: 'nodes are booked twice',
      policy: firstNodes({
        place: placing((placement, topology, _, { nodes }) =>
          withNodes(placement, [...topology.leafOfNode.keys()].slice(0, nodes)),
        ),
      }),
      says: /node \d+ of the placement is not free/,
    },
    {
      wrong: 'nodes that do not ascend',
      policy: firstNodes({
        place: placing((placement) => withNodes(placement, Array.from(placement.nodes).reverse())),
      }),
      says: 'ids must ascend',
    },
    {
      wrong: 'a node twice',
      policy: firstNodes({
        place: placing((placement) =>
          withNodes(
            placement,
            Array.from(placement.nodes, () => placement.nodes[0]),
          ),
        ),
      }),
      says: 'ids must ascend',
    },
    {
      wrong: 'a node that does not exist',
      policy: firstNodes({
        place: placing((placement, { nodes }) =>
          withNodes(placement, [...Array.from(placement.nodes).slice(1), nodes]),
        ),
      }),
      says: 'does not exist',
    },
    {
      wrong: 'links are booked twice',
      policy: wholeMachine({
        place:
          () =>
          (topology, state, { nodes }) =>
            nodes > state.freeNodes
              ? refused('nodes')
              : { ok: true, nodes: firstFree(topology, state, nodes), links: allLinks(topology) },
      }),
      says: /level-\d link \d+ of the placement is not free/,
    },
    {
      wrong: 'a link of a level that does not exist',
      policy: wholeMachine({ place: placing((placement) => ({ ...placement, links: [[], [], [], [], [0]] })) }),
      says: 'does not exist',
    },
    {
      wrong: 'more bandwidth than is left',
      policy: sharedMachine({ place: placing((placement) => ({ ...placement, bandwidth: 5000 })) }),
      says: 'less than the bandwidth of the placement',
    },
    {
      wrong: 'shared links without a bandwidth',
      policy: sharedMachine({ place: placing(({ nodes, links }) => ({ ok: true, nodes, links })) }),
      says: 'less than the bandwidth of the placement',
    },
    {
      wrong: 'a rank on a node outside of the placement',
      policy: firstNodes({
        place: placing((placement, { nodes }) => ({
          ...placement,
          ranks: Array.from(placement.nodes, (node) => (node + 1) % nodes),
        })),
      }),
      says: /rank \d+ is on node \d+, which is not in the placement/,
    },
  ],
  'a placement has exactly (exactSize) or at least as many nodes as requested': [
    {
      wrong: 'rounds the number of nodes up, but claims exact sizes',
      policy: firstNodes({
        place: placing((placement, topology, state, { nodes }) =>
          withNodes(placement, firstFree(topology, state, nodes + (nodes % 2))),
        ),
      }),
      says: /the placement has \d+ nodes, but the request asks for \d+/,
    },
    {
      wrong: 'too few nodes',
      policy: firstNodes({
        claims: { exactSize: false },
        place: placing((placement) => withNodes(placement, Array.from(placement.nodes).slice(0, 2))),
      }),
      says: /the placement has 2 nodes, but the request asks for \d+/,
    },
  ],
  'links shared: a placement names no links': [
    {
      wrong: 'names links, but claims shared links',
      policy: wholeMachine({ claims: { links: 'shared', fullBandwidth: false } }),
      says: "but the policy claims the links 'shared'",
    },
  ],
  'links owned or capped: the links of a placement connect all its nodes': [
    {
      wrong: 'owns no links',
      policy: wholeMachine({ place: placing((placement) => ({ ...placement, links: [] })) }),
      says: 'the links [] do not connect the nodes',
    },
    {
      wrong: 'a job in several pods without links between the pods',
      policy: wholeMachine({ place: placing((placement) => ({ ...placement, links: placement.links.slice(0, 1) })) }),
      says: 'do not connect the nodes',
    },
    {
      wrong: 'takes bandwidth only on the uplinks of leaves',
      policy: sharedMachine({ place: placing((placement) => ({ ...placement, links: placement.links.slice(0, 1) })) }),
      says: 'do not connect the nodes',
    },
    {
      wrong: 'uplinks of two leaves to different L2 switches',
      policy: firstTwoLeaves((ports, most, others) => ports.slice(most, most + others)),
      says: 'do not connect the nodes',
    },
  ],
  'full bandwidth: random permutations of small jobs have routes with one flow a link': [
    {
      wrong: 'owns half of the uplinks of a leaf for jobs of more than nine nodes',
      policy: wholeMachine({
        place: placing((placement, { levels }, _, { nodes }) => ({
          ...placement,
          links: placement.links.map((ids, level) =>
            level === 0 && nodes > 9
              ? Array.from(ids).filter((id) => id >= Math.ceil(levels[0].firstPort[1] / 2))
              : ids,
          ),
        })),
      }),
      says: /leaf 0 has \d+ of the \d+ nodes of the placement, and \d+ of its links up; a permutation of the nodes needs/,
    },
    {
      wrong: 'owns in each pod the spine links of only one L2 switch',
      policy: wholeMachine({
        place: placing((placement, topology) => ({
          ...placement,
          links: [placement.links[0], linksOfFirstL2(topology), ...placement.links.slice(2)],
        })),
      }),
      says: 'has no routes with one flow a link',
    },
    {
      wrong: 'each L2 switch has one spine link too few',
      policy: wholeMachine({
        place: placing((placement, topology) => ({
          ...placement,
          links: placement.links.map((ids, level) =>
            level === 1 ? Array.from(ids).filter((link) => link % topology.levels[1].firstPort[1] !== 0) : ids,
          ),
        })),
      }),
      says: 'a permutation of the nodes needs',
    },
    {
      wrong: "the remainder leaf's uplinks partly outside the set S of the full leaf",
      policy: firstTwoLeaves((ports, _, others) => ports.slice(ports.length - others)),
      says: 'has no routes with one flow a link',
    },
    {
      wrong: 'serves tapered machines, on which even all links have no full bandwidth',
      policy: wholeMachine({ unsupported: () => undefined }),
      says: 'a permutation of the nodes needs',
    },
  ],
  'share bandwidth: random permutations of small jobs have routes with at most the claimed flows a link': [
    {
      wrong: 'claims two flows a link, but leaves of some machines have a taper of four',
      policy: wholeMachine({
        claims: { fullBandwidth: false, shareBandwidth: { uplink: [2, 1], spine: [4, 1] } },
        unsupported: () => undefined,
      }),
      says: 'a permutation of the nodes needs',
    },
    {
      wrong: 'owns in each pod the spine links of only one L2 switch',
      policy: wholeMachine({
        claims: { fullBandwidth: false, shareBandwidth: { uplink: [1, 1], spine: [1, 1] } },
        place: placing((placement, topology) => ({
          ...placement,
          links: [placement.links[0], linksOfFirstL2(topology), ...placement.links.slice(2)],
        })),
      }),
      says: 'has no routes with the claimed flows a link',
    },
  ],
  'a refusal has the fields of its code, with true values': [
    {
      wrong: 'the refusal too-few-nodes has a wrong number of free nodes',
      policy: firstNodes({
        place: refusing((refusal) =>
          refusal.code === 'too-few-nodes' ? { ...refusal, free: refusal.free + 1 } : refusal,
        ),
      }),
      says: /says that \d+ nodes are free, but \d+ are free/,
    },
    {
      wrong: 'the refusal too-few-nodes, although enough nodes are free',
      policy: firstNodes({
        place: placing((_, __, state, { nodes }) =>
          nodes > 3 ? { ok: false, code: 'too-few-nodes', free: state.freeNodes } : { ok: true, nodes: [], links: [] },
        ),
      }),
      says: /refuses \d+ nodes with too-few-nodes, but \d+ nodes are free/,
    },
    {
      wrong: 'the refusal no-placement with an empty constraint',
      policy: firstNodes({ place: refusing(() => refused('')) }),
      says: 'the refusal no-placement has an empty constraint',
    },
    {
      wrong: 'the refusal never with an empty constraint',
      policy: firstNodes({ place: refusing(() => ({ ok: false, code: 'never', constraint: '' })) }),
      says: 'the refusal never has an empty constraint',
    },
    {
      wrong: 'the refusal never, although the job fits the empty machine',
      policy: firstNodes({ place: refusing(() => ({ ok: false, code: 'never', constraint: 'free nodes' })) }),
      says: 'refuses the request with never, but places the request on the empty machine',
    },
    {
      wrong: 'the refusal search-bound for a request larger than the machine',
      policy: firstNodes({
        claims: { complete: false },
        place: refusing(() => ({ ok: false, code: 'search-bound', steps: 9 })),
      }),
      says: 'larger than the machine with search-bound',
    },
    {
      wrong: 'the refusal search-bound, although the policy claims to be complete',
      policy: firstNodes({
        place: refusing((refusal) =>
          refusal.code === 'never' ? refusal : { ok: false, code: 'search-bound', steps: 9 },
        ),
      }),
      says: 'with search-bound, but claims to be complete',
    },
  ],
  'place changes neither the state nor its index, and answers a repeated request equally': [
    {
      wrong: 'place withholds the nodes of the placement in the state',
      policy: firstNodes({
        place: placing((placement, _, state) => {
          ;(state as ClusterState).withhold(placement)
          return placement
        }),
      }),
      says: /place changed the state|answers the repeated request/,
    },
    {
      wrong: 'place marks node 0 as down in the state',
      policy: firstNodes({
        place: (good) => (topology, state, request, index) => {
          ;(state as ClusterState).fail({ nodes: [0], links: [] })
          return good(topology, state, request, index)
        },
      }),
      says: 'place changed the state',
    },
    {
      wrong: 'place writes to the index',
      policy: countedNodes({
        place: (good) => (topology, state, request, index) => {
          index.leaves[0]++
          return good(topology, state, request, index)
        },
      }),
      says: 'place changed the index',
    },
    {
      wrong: 'places every second job at the other end of the machine',
      policy: inTurn(),
      says: 'answers the repeated request',
    },
    {
      wrong: 'refuses a number of nodes forever after one refusal',
      policy: remembersRefusals(),
      says: 'answers the repeated request',
    },
  ],
  'place reads no clock, no random number and no environment': (
    [
      ['Date.now', () => Date.now(), 'place reads Date.now'],
      ['a new Date', () => new Date(), 'place reads new Date()'],
      ['performance.now', () => performance.now(), 'performance.now'],
      ['the imported performance.now', () => importedPerformance.now(), 'place reads performance.now'],
      ['Math.random', () => Math.random(), 'place reads Math.random'],
      ['process.env', () => process.env['HOME'], 'process.env.HOME'],
      ['the imported process.env', () => importedProcess.env['HOME'], 'place reads process.env.HOME'],
      ['process.hrtime', () => importedProcess.hrtime(), 'place reads process.hrtime'],
      ['process.hrtime.bigint', () => importedProcess.hrtime.bigint(), 'place reads process.hrtime.bigint'],
      ['crypto', () => crypto.randomUUID(), 'place reads crypto'],
    ] as const
  ).map(([what, read, says]) => ({
    wrong: `reads ${what}`,
    policy: firstNodes({
      place: placing((placement) => {
        read()
        return placement
      }),
    }),
    says,
  })),
  'place changes neither the topology nor the functions of a state': [
    {
      wrong: 'writes to an array of the topology',
      policy: firstNodes({
        place: placing((placement, { firstNodeOfLeaf }) => {
          firstNodeOfLeaf[1]--
          return placement
        }),
      }),
      says: 'place changed topology.firstNodeOfLeaf[1]',
    },
    {
      wrong: 'adds a member to the topology',
      policy: firstNodes({
        place: placing((placement, topology) => {
          Object.assign(topology, { mine: 1 })
          return placement
        }),
      }),
      says: 'place changed topology',
    },
    {
      wrong: 'replaces a level of the topology',
      policy: firstNodes({
        place: placing((placement, { levels }) => {
          ;(levels as Array<object>)[0] = { ...levels[0] }
          return placement
        }),
      }),
      says: 'place changed topology.levels[0]',
    },
    {
      wrong: 'gives a state a function of its own',
      policy: firstNodes({
        place: placing((placement, _, state) => {
          Object.assign(state, { freeNodesOnLeaf: () => 1 })
          return placement
        }),
      }),
      says: 'the state has a new member freeNodesOnLeaf',
    },
    {
      wrong: 'adds a function to all states',
      policy: firstNodes({
        place: placing((placement, _, state) => {
          Object.getPrototypeOf(state).fewest = () => 1
          return placement
        }),
      }),
      says: 'the function fewest of all states was replaced',
    },
  ],
  'ranks: each node of a placement has one rank': [
    {
      wrong: 'fewer ranks than nodes',
      policy: firstNodes({
        place: placing((placement) => ({ ...placement, ranks: Array.from(placement.nodes).slice(1) })),
      }),
      says: 'expected one rank on each node',
    },
    {
      wrong: 'two ranks on one node of a job with a matrix',
      policy: firstNodes({
        place: placing((placement, _, __, { communication }) =>
          communication?.matrix === undefined
            ? placement
            : { ...placement, ranks: Array.from(placement.nodes, (node, at) => (at > 1 ? placement.nodes[0] : node)) },
        ),
      }),
      says: /ranks on \d+ of its \d+ nodes/,
    },
  ],
  'calls of place leave no memory in use': [
    {
      wrong: 'remembers each request',
      policy: remembersRequests(),
      says: /each call of place leaves \d+ bytes of memory in use/,
    },
  ],
  'the policy never writes to the arrays of a returned placement again': [
    {
      wrong: 'one array for the nodes of all jobs',
      policy: reusesArrays(1),
      says: 'the policy changed the returned placement',
    },
    {
      wrong: 'three arrays, reused in turn, for the nodes of all jobs',
      policy: reusesArrays(3),
      says: 'the policy changed the returned placement',
    },
  ],
  'equal states give equal answers, also on forks and from other placers': [
    {
      wrong: 'the refusal names the largest number of nodes that was ever refused',
      policy: tellsLargestRefused(),
      says: /in an equal state|on a fork/,
    },
    {
      wrong: 'places jobs differently in every state except the first',
      policy: strangeForks(),
      says: /in an equal state|on a fork/,
    },
  ],
  'the index of a state, or of a fork with withheld resources, equals a rebuilt index': [
    {
      wrong: 'the index is never updated',
      policy: countedNodes({ index: (topology) => ({ ...countHooks(topology), changed: () => {} }) }),
      says: 'differs from a rebuilt index',
    },
    {
      wrong: 'the index is not updated for L2 switches',
      policy: countedNodes({
        index: (topology) => ({
          ...countHooks(topology),
          changed: (index, state, leaves) => countHooks(topology).changed(index, state, leaves, []),
        }),
      }),
      says: 'differs from a rebuilt index',
    },
    {
      wrong: 'the index is not copied to forks',
      policy: countedNodes({ index: (topology) => ({ ...countHooks(topology), copy: () => {} }) }),
      says: 'the index of a fork differs',
    },
    {
      wrong: 'forks share the index of their origin',
      policy: countedNodes({
        index: (topology) => ({
          ...countHooks(topology),
          copy: (from, into) => {
            Object.assign(into, from)
          },
        }),
      }),
      says: /the index/,
    },
  ],
  'monotone: a refused request is also refused when less is free': [
    {
      wrong: 'refuses if an odd number of nodes is free',
      policy: firstNodes({
        claims: { complete: false },
        place: placing((placement, _, state) =>
          state.freeNodes % 2 === 1 ? refused('an even number of free nodes') : placement,
        ),
      }),
      says: /refuses \d+ nodes, but places \d+ nodes when fewer resources are free/,
    },
  ],
  'monotone: requests with equal keys are refused together': [
    {
      wrong: 'one request key for all sizes',
      policy: firstNodes({ requestKey: () => 'all' }),
      says: 'with the same key "all" gets a placement',
    },
    {
      wrong: 'refuses by bandwidth, which is no part of the request key',
      policy: firstNodes({
        claims: { complete: false },
        place: (good) => (topology, state, request, index) =>
          request.bandwidth === 500 ? refused('bandwidth') : good(topology, state, request, index),
      }),
      says: /the request \{.* with the same key "\d+" gets a placement/,
    },
    ...Object.entries({
      purpose: (request: Request) => request.purpose === 'backfill',
      estimate: (request: Request) => request.estimate === 60_000,
      submission: (request: Request) => request.submitted === 0,
      'much bandwidth': (request: Request) => request.bandwidth === 2000,
      communication: (request: Request) => request.communication === undefined,
    }).map(([what, isPlaced]) => ({
      wrong: `grants by ${what}, which is no part of the request key`,
      policy: firstNodes({
        claims: { complete: false },
        place: (good) => (topology, state, request, index) =>
          isPlaced(request) ? good(topology, state, request, index) : refused(what),
      }),
      says: /the request \{.* with the same key "\d+" gets a placement/,
    })),
  ],
  'placesByKey: requests with equal keys and purposes get equal placements': [
    {
      wrong: 'places long jobs on the last nodes, but the estimate is no part of the request key',
      policy: firstNodes({
        placesByKey: true,
        place: placing((placement, { nodes }, state, { estimate = 0 }) =>
          estimate > 3_600_000 && state.freeNodes === nodes
            ? withNodes(
                placement,
                Array.from(placement.nodes, (_, at) => nodes - placement.nodes.length + at),
              )
            : placement,
        ),
      }),
      says: /the request \{.* with the same key "\d+" gets .*; expected the placement of the first request, /,
    },
  ],
  'anyFreeNodes: a request for at most as many nodes as are free gets a placement': [
    {
      wrong: 'refuses jobs that would take all free nodes of a part of the machine',
      policy: firstNodes({
        claims: { monotone: false, complete: false, anyFreeNodes: true },
        place: placing((placement, topology, state, { nodes }) =>
          nodes === state.freeNodes && nodes < topology.nodes ? refused('a node to spare') : placement,
        ),
      }),
      says: /the policy refuses \d+ nodes with no-placement, but \d+ nodes are free/,
    },
  ],
  'mostNodes: requests for more than mostNodes nodes are refused': [
    {
      wrong: 'mostNodes returns one node too few',
      policy: firstNodes({ mostNodes: (state) => state.freeNodes - 1 }),
      says: /the policy places \d+ nodes, but mostNodes returned \d+; expected at least \d+/,
    },
    {
      wrong: 'mostNodes returns 0 if the first leaf is full',
      policy: firstNodes({ mostNodes: (state) => (state.freeNodesOnLeaf(0) === 0 ? 0 : state.freeNodes) }),
      says: /the policy places \d+ nodes, but mostNodes returned 0; expected at least \d+/,
    },
    {
      wrong: 'mostNodes returns undefined',
      policy: firstNodes({ mostNodes: () => undefined as never }),
      says: 'mostNodes returned undefined, expected a number',
    },
  ],
  'mostNodesBeside: beside a larger job, the second job is refused': [
    {
      wrong: 'mostNodesBeside counts one free node too few',
      policy: firstNodes({ mostNodesBeside: (_, _index, later, _later, head) => later.freeNodes - head - 1 }),
      says: /the policy places \d+ nodes, and beside them \d+ nodes after the ends of \d+ jobs, but mostNodesBeside returned \d+/,
    },
    {
      wrong: 'mostNodesBeside counts the free nodes of the earlier state',
      policy: firstNodes({
        mostNodesBeside: (state, _index, _later, _laterIndex, head) => Math.max(0, state.freeNodes - head),
      }),
      says: /beside them \d+ nodes after the ends of [1-9]\d* jobs, but mostNodesBeside returned \d+; expected at least/,
    },
    {
      wrong: 'mostNodesBeside returns undefined',
      policy: firstNodes({ mostNodesBeside: () => undefined as never }),
      says: 'mostNodesBeside returned undefined, expected a number',
    },
  ],
  'complete: the empty machine has no gap between the sizes that one leaf can place': [
    {
      wrong: 'refuses four nodes on machines with larger leaves',
      policy: firstNodes({
        place: placing((placement, { firstNodeOfLeaf }, _, { nodes }) =>
          firstNodeOfLeaf[1] > 4 && nodes === 4 ? refused('not four') : placement,
        ),
      }),
      says: 'refuses 4 nodes on the empty machine with no-placement, but places 3 and 5 nodes',
    },
  ],
  'complete: a granted placement is found again if nothing else is free, also on equal subtrees': [
    {
      wrong: 'uses only the first leaf if node 0 is free',
      policy: firstNodes({
        place: placing((placement, topology, state, { nodes }) =>
          state.isNodeFree(0) && nodes > topology.firstNodeOfLeaf[1] ? refused('the first leaf') : placement,
        ),
      }),
      says: 'nodes if only the resources of its earlier placement are free',
    },
  ],
}

function remembersRequests(): Policy {
  const requests: Array<object> = []
  return firstNodes({
    place: (good) => (topology, state, request, index) => {
      requests.push({ ...request, free: Array.from({ length: 100 }, (_, at) => state.freeNodes + at) })
      return good(topology, state, request, index)
    },
  })
}

function servesOnce(): Policy {
  let times = 0
  return firstNodes({
    policy: {
      make: (topology: any) =>
        ++times % 2 === 0 ? { unsupported: 'served already' } : firstNodes().make(topology, {}),
    },
  })
}

function linksOfFirstL2({ levels, firstL2OfPod, pods }: Parameters<typeof allLinks>[0]): Array<number> {
  if (levels.length < 2) return []
  const { firstPort } = levels[1]
  return [...firstL2OfPod]
    .slice(0, pods)
    .flatMap((sw) => Array.from({ length: firstPort[sw + 1] - firstPort[sw] }, (_, port) => firstPort[sw] + port))
}

function inTurn(): Policy {
  let turn = 0
  return firstNodes({
    place: placing((placement, topology, state, { nodes }) =>
      turn++ % 2 === 0 ? placement : withNodes(placement, firstFree(topology, state, Infinity).slice(-nodes)),
    ),
  })
}

function reusesArrays(count: number): Policy {
  const arrays = Array.from({ length: count }, () => new Int32Array(10_000))
  let at = 0
  return firstNodes({
    place: placing((placement) => {
      const nodes = arrays[at++ % count]
      nodes.set(Array.from(placement.nodes))
      return { ...placement, nodes: nodes.subarray(0, placement.nodes.length) }
    }),
  })
}

function remembersRefusals(): Policy {
  const make = (topology: any): unknown => {
    const refusedSizes = new Set<number>()
    const good = firstNodes().make(topology, {}) as { readonly place: (...args: Array<any>) => Outcome }
    return {
      ...good,
      place: (state: any, request: any, index: any): Outcome => {
        if (refusedSizes.has(request.nodes)) return refused('refused before')
        const outcome = good.place(state, request, index)
        if (!outcome.ok && outcome.code === 'too-few-nodes') refusedSizes.add(request.nodes)
        return outcome
      },
    }
  }
  return firstNodes({ policy: { make } })
}

function tellsLargestRefused(): Policy {
  const make = (topology: any): unknown => {
    let largest = 0
    const good = firstNodes().make(topology, {}) as { readonly place: (...args: Array<any>) => Outcome }
    return {
      ...good,
      place: (state: any, request: any, index: any): Outcome => {
        const outcome = good.place(state, request, index)
        if (outcome.ok) return outcome
        largest = Math.max(largest, request.nodes)
        return refused(`sizes up to ${largest}`)
      },
    }
  }
  return firstNodes({ policy: { make } })
}

function strangeForks(): Policy {
  let first: object | undefined
  return firstNodes({
    place: placing((placement, topology, state, { nodes }) => {
      first ??= state
      return first === state ? placement : withNodes(placement, firstFree(topology, state, Infinity).slice(-nodes))
    }),
  })
}
