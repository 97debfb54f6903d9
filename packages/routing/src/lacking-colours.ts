import { RoutingError } from './routing-error.ts'

/**
 * Colours flows among switches. Flows with a common end differ in colour, and no flow has a colour that one of its ends
 * lacks. First the graph is filled up to be regular. Each switch gets flows to itself up to the largest need, and
 * further flows if fewer than it needs leave or reach it. Then colours are used one at a time, most lacked first. The
 * switches that lack the colour spend it on a flow to themselves; the rest gets a perfect matching. The matching exists
 * by Hall's theorem if the t-th colour from the end is lacked by switches that need at most t - 1 together (proof in
 * CONDITION.md of the policy mosaic).
 *
 * @param needs greatest number of flows out of, and into, each switch
 * @param lacks for each colour, 1 for the switches that lack it; as many colours as the largest need
 * @throws RoutingError if there are more flows than needed, or if too many switches lack the colours
 */
export function colourLacking(
  needs: Int32Array,
  lacks: ReadonlyArray<Uint8Array>,
  from: Int32Array,
  to: Int32Array,
): Int32Array {
  const flows = new FilledUp(needs, lacks.length, from, to)
  const colourOf = new Int32Array(from.length).fill(-1)
  lacks.forEach((lack, colour) => {
    for (const flow of flows.match(lack)) if (flow < from.length) colourOf[flow] = colour
  })
  return colourOf
}

/** Uncoloured flows, with equal numbers out of and into every switch. */
class FilledUp {
  readonly #switches: number
  readonly #from: Array<number>
  readonly #to: Array<number>
  /** Uncoloured flows out of each switch. */
  readonly #out: ReadonlyArray<Array<number>>
  /** Flow to each receiver in the current matching; -1 for none. */
  readonly #incoming: Int32Array
  readonly #isVisited: Uint8Array

  constructor(needs: Int32Array, colours: number, from: Int32Array, to: Int32Array) {
    this.#switches = needs.length
    this.#from = Array.from(from)
    this.#to = Array.from(to)
    this.#out = Array.from(needs, () => [])
    this.#incoming = new Int32Array(needs.length)
    this.#isVisited = new Uint8Array(needs.length)
    const missingOut = needs.slice()
    const missingIn = needs.slice()
    from.forEach((sender, flow) => {
      this.#out[sender].push(flow)
      missingOut[sender]--
      missingIn[to[flow]]--
    })
    if (Math.min(...missingOut, ...missingIn) < 0)
      throw new RoutingError('more flows leave or reach a switch than it may have')
    let receiver = 0
    for (let sender = 0; sender < needs.length; sender++) {
      for (let i = 0; i < missingOut[sender]; i++) {
        while (missingIn[receiver] === 0) receiver++
        missingIn[receiver]--
        this.#add(sender, receiver)
      }
      for (let i = needs[sender]; i < colours; i++) this.#add(sender, sender)
    }
  }

  #add(sender: number, receiver: number): void {
    this.#out[sender].push(this.#to.length)
    this.#from.push(sender)
    this.#to.push(receiver)
  }

  /** Takes one flow out of and one into each switch. Switches that lack the colour take a flow to themselves. */
  match(lack: Uint8Array): ReadonlyArray<number> {
    this.#incoming.fill(-1)
    for (let sender = 0; sender < this.#switches; sender++) {
      if (lack[sender] === 1) {
        this.#incoming[sender] = this.#out[sender].find((flow) => this.#to[flow] === sender) ?? -1
        continue
      }
      this.#isVisited.fill(0)
      this.#augment(sender, lack)
    }
    const taken = new Set(this.#incoming)
    if (taken.has(-1)) throw new RoutingError('a colour is lacked by too many switches')
    for (const flows of this.#out)
      flows.splice(
        flows.findIndex((flow) => taken.has(flow)),
        1,
      )
    return [...taken]
  }

  /** Finds a flow out of a switch for the matching, and rearranges earlier choices if necessary (Kuhn). */
  #augment(sender: number, lack: Uint8Array): boolean {
    for (const flow of this.#out[sender]) {
      const receiver = this.#to[flow]
      if (lack[receiver] === 1 || this.#isVisited[receiver] === 1) continue
      this.#isVisited[receiver] = 1
      const other = this.#incoming[receiver]
      if (other >= 0 && !this.#augment(this.#from[other], lack)) continue
      this.#incoming[receiver] = flow
      return true
    }
    return false
  }
}
