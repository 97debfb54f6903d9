const KNOWN = 1

/** Returns a message that names an unknown contract version and what to update; undefined if the version is known. */
export function contractDefect(contract: unknown): string | undefined {
  if (contract === KNOWN) return undefined
  const found = `contract is ${JSON.stringify(contract) ?? 'missing'}; this @cloister/placement knows contract ${KNOWN}`
  return Number.isInteger(contract) && (contract as number) > KNOWN
    ? `${found}: update @cloister/placement, or the program that brings it (cloister)`
    : `${found}: update the policy to contract ${KNOWN}`
}
