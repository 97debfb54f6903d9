import { firstFree, firstNodes, isLinkFree, type Policy, refused } from '../sample-policies.ts'
import { range } from '../naive-state.ts'

/** Tries only the first 48 up-ports of L2 switches, although a job may use any up-port. */
const policy: Policy = firstNodes({
  policy: { name: 'forgets-l2-ports-from-48' },
  claims: { links: 'owned' },
  unsupported: ({ pgft }) =>
    pgft?.m.length === 3 && pgft.p.every((cables) => cables === 1) ? undefined : 'it has other than three levels',
  place: (good) => (topology, state, request, index) => {
    const outcome = good(topology, state, request, index)
    if (!outcome.ok) return outcome
    const [{ links: uplinks }, { firstPort, switches }] = topology.levels
    const ports = range(0, Math.min(48, firstPort[1]))
    const linksOf = (port: number): Array<number> => range(0, switches).map((sw) => firstPort[sw] + port)
    const port = ports.find((each) => linksOf(each).every((link) => isLinkFree(topology, state, 1, link)))
    const areUplinksFree = range(0, uplinks).every((link) => isLinkFree(topology, state, 0, link))
    if (port === undefined || !areUplinksFree) return refused('every uplink, and one up-port of all L2 switches')
    return { ok: true, nodes: firstFree(topology, state, request.nodes), links: [range(0, uplinks), linksOf(port)] }
  },
})
export default policy
