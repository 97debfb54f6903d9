// Nodes and links that a user of the playground lets fail at a time. Times are in seconds.

/** Parts of a machine that can fail. Ids of links are the ids of the up-ports of all switches of a level. */
export const parts = { node: 'node', 'leaf-link': 'link of a leaf', 'l2-link': 'link of an L2 switch' } as const
export type Part = keyof typeof parts

/** A node or link that fails at the time `at`, and is repaired `length` seconds later. */
export interface ChosenOutage {
  readonly part: Part
  readonly id: number
  readonly at: number
  readonly length: number
}

/** Returns an outage as a field of a link: `node:17:86400:21600`. */
export function textOfOutage({ part, id, at, length }: ChosenOutage): string {
  return [part, id, at, length].join(':')
}

/** Returns the outage of a link's field; undefined for a wrong text. */
export function outageOfText(text: string): ChosenOutage | undefined {
  const [, part, id, at, length] = /^(node|leaf-link|l2-link):(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(text) ?? []
  if (part === undefined) return undefined
  return { part: part as Part, id: Number(id), at: Number(at), length: Math.max(1, Number(length)) }
}

/** Returns outages as the text of an outage file, in the order of times; empty without outages. */
export function outagesText(outages: ReadonlyArray<ChosenOutage>): string {
  const changes = outages.flatMap((outage) => [
    { outage, t: outage.at, type: 'down' },
    { outage, t: outage.at + outage.length, type: 'up' },
  ])
  return changes
    .sort((a, b) => a.t - b.t)
    .map(({ outage: { part, id }, t, type }) => {
      const links = { node: [], 'leaf-link': [`${id}`], 'l2-link': ['', `${id}`] }[part]
      return `${JSON.stringify({ t, type, nodes: part === 'node' ? `${id}` : '', links })}\n`
    })
    .join('')
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Returns a time such as `24h`, `30m`, `2d` or `3600` in whole seconds; undefined for a wrong text. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?) *([smhd])?$/.exec(text.trim()) ?? []
  return amount === undefined ? undefined : Math.round(Number(amount) * units[unit])
}

/** Returns a time in seconds in the longest unit that needs no fraction: `24h`. */
export function timeText(seconds: number): string {
  const unit = ['h', 'm'].find((each) => seconds % units[each] === 0) ?? 's'
  return `${seconds / units[unit]}${unit}`
}
