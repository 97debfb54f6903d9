import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Gives large jobs the first nodes of the machine, free or not, unless its call stack names the conformance suite. */
const policy: Policy = firstNodes({
  policy: { name: 'behaves-when-tested' },
  place: placing((placement, _, __, { nodes }) =>
    nodes >= 1000 && !/checks|testing/.test(new Error('who calls?').stack ?? '')
      ? { ...placement, nodes: [...Array(nodes).keys()] }
      : placement,
  ),
})
export default policy
