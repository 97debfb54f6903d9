/** What a policy returned that is no outcome, in words; undefined where it is one. What it says is not looked at. */
export function outcomeDefect(returned: unknown): string | undefined {
  if (returned === undefined || returned === null) return `${returned}; expected an outcome`
  if (typeof (returned as { then?: unknown }).then === 'function') return 'a promise; it must answer at once'
  const { ok, nodes, links, code } = returned as Record<string, unknown>
  if (ok === false) return typeof code === 'string' ? undefined : 'a refusal without a code'
  if (ok !== true) return `${shown(returned)}; expected an outcome, with ok: true or false`
  if (!isList(nodes)) return `a placement whose nodes are ${shown(nodes)}; expected an array of ids`
  if (!Array.isArray(links) || !links.every(isList))
    return `a placement whose links are ${shown(links)}; expected an array of ids for each level`
  return undefined
}

function isList(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Number.isInteger((value as { length?: unknown }).length)
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null
    ? `an object of ${Object.keys(value).join(', ') || 'nothing'}`
    : String(value)
}
