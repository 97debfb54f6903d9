import { checkFamilies } from './families.ts'

/**
 * Colours every full set of flows of every family with a given number of vertices and links that meets the rule of
 * mosaic's CONDITION.md:
 *
 *     pnpm --filter @cloister/network run families [VERTICES LINKS]     5 and 4, which takes minutes
 */

const given = process.argv.slice(2)
const [vertices = 5, links = 4] = given.map(Number)
if (given.length > 2 || ![vertices, links].every((number) => Number.isInteger(number) && number >= 1 && number <= 9)) {
  console.error(`families: found ${given.join(' ')}, expected the numbers of vertices and of links, each from 1 to 9`)
  process.exit(2)
}
const { kept, flows } = checkFamilies(vertices, links)
console.log(`${vertices} vertices, ${links} links: ${kept} families keep the rule, ${flows} sets of flows have links`)
