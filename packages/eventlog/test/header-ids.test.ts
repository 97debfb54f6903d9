import { describe, expect, it } from 'vitest'
import { read } from './reading.ts'
import { sampleHeader, topologies, writeLog } from './sample-logs.ts'
import { linesOf, sealed, textOf } from './sealed-lines.ts'

/** Returns the log of a header with one class of links on radix:4, which has 16 links of leaves and of L2 switches. */
const withLinks = (links: ReadonlyArray<string>): Uint8Array =>
  writeLog(sampleHeader({ link_classes: [{ name: 'cable', capacity: 1, links }] }), topologies[0], [
    (to) =>
      to.record({ type: 'end', t: 0, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
  ])
const good = Buffer.from(withLinks(['0-15', '15'])).toString()
/** Returns the outcome of a log whose header has any `links` in link_classes, as no writer writes it. */
const outcomeOf = (links: string) =>
  read(Buffer.from(textOf(sealed(linesOf(good.replace('["0-15","15"]', links)))))).outcome

describe("ids of links in a header's link_classes", () => {
  it.each([
    ['["0-16"]', '"links" names link 16 of level 0, but the machine has 16'],
    ['["","16"]', '"links" names link 16 of level 1, but the machine has 16'],
    ['["","","0"]', '"links" names link 0 of level 2, but the machine has 0'],
    ['["3,1"]', 'wrong idset in "links[0]"'],
    ['["0,1"]', 'wrong idset in "links[0]"'],
    ['["x"]', 'wrong idset in "links[0]"'],
  ])("a header's link_classes is refused with wrong or unknown ids of links: %s", (links, reason) => {
    expect(outcomeOf(links)).toMatchObject({ status: 'corrupt', line: 1, reason: expect.stringContaining(reason) })
    expect(() => withLinks(JSON.parse(links))).toThrow(reason)
  })

  it("a header's link_classes may name all links of the machine", () => {
    expect(outcomeOf('["0-15","15"]').status).toBe('whole')
  })
})
