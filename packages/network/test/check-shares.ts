import { countShapes, smallTree } from './shares.ts'

/**
 * Compares the auditor's rule for shares with an exhaustive search on all allocations of small tapered trees, as the
 * table of SHARE.md in the package isolation shows:
 *
 *     pnpm --filter @cloister/network run shares                        some minutes
 *     pnpm --filter @cloister/network run shares 'pgft:2;5,3;1,3;1,1'   one tree
 */
const trees = [
  'pgft:2;4,3;1,2;1,1',
  'pgft:2;4,4;1,2;1,1',
  'pgft:2;3,4;1,2;1,1',
  'pgft:2;6,3;1,2;1,1',
  'pgft:2;6,3;1,3;1,1',
  'pgft:2;5,3;1,3;1,1',
  'pgft:3;2,2,3;1,1,1;1,1,1',
  'pgft:3;4,2,2;1,1,2;1,1,1',
  'pgft:3;2,3,2;1,1,2;1,1,1',
  'pgft:3;3,2,2;1,2,1;1,1,1',
]
const given = process.argv.slice(2)
for (const spec of given.length > 0 ? given : trees) {
  const { allocations, accepted, wrong, minimal, refused } = countShapes(smallTree(spec), 'up')
  console.log(
    `${spec}: ${allocations} allocations, ${accepted} accepted (${wrong} not routable), ${minimal} minimal and routable (${refused} refused)`,
  )
}
