/**
 * Colors every full set of flows of every family of so many vertices and links that keeps the rule of CONDITION.md:
 *
 *     pnpm --filter @cloister/routing run families [VERTICES LINKS]     5 and 4, which takes minutes
 */
import { checkFamilies } from './families.ts'

const [vertices = 5, links = 4] = process.argv.slice(2).map(Number)
const { kept, flows } = checkFamilies(vertices, links)
console.log(`${vertices} vertices, ${links} links: ${kept} families keep the rule, ${flows} sets of flows have links`)
