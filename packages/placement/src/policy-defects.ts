import { contractDefect } from './bind.ts'

/**
 * Returns the problems that keep a value from being a placement policy, a sentence for each member; empty for a policy.
 * The function compares no identities of values, because a policy may use a separate copy of this package.
 */
export function policyDefects(value: unknown): ReadonlyArray<string> {
  if (typeof value !== 'object' || value === null) return [`the default export is ${kind(value)}, expected an object`]
  const policy = value as Record<string, unknown>
  const problems: string[] = []
  const expect = (member: string, isRight: boolean, right: string): void => {
    if (!isRight)
      problems.push(`${member} ${member in policy ? `is ${kind(policy[member])}` : 'is missing'}, expected ${right}`)
  }
  const defect = contractDefect(policy['contract'])
  if (defect !== undefined) problems.push(defect)
  expect(
    'name',
    typeof policy['name'] === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(policy['name']),
    'a string of lower-case letters, digits and "-"',
  )
  expect('version', typeof policy['version'] === 'string', "a string, the package's version")
  expect('config', isStandardSchema(policy['config']), 'a Standard Schema (an object with "~standard")')
  expect(
    'make',
    typeof policy['make'] === 'function',
    'a function (topology, config) that returns a placer or { unsupported }',
  )
  return problems
}

function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false
  const standard = value['~standard'] as { validate?: unknown } | null
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}

/** Returns a short description of a value for messages: the value itself if it is simple, else its kind. */
export function kind(value: unknown): string {
  // JSON has no NaN and no Infinity.
  if (typeof value === 'number') return String(value)
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value))
    return JSON.stringify(value) ?? 'undefined'
  return Array.isArray(value) ? 'an array' : typeof value === 'function' ? 'a function' : 'an object'
}
