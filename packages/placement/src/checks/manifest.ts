import type { AnyContract } from '../contract-1.ts'

/** Why a policy does not go by the name and version of its package; undefined when it does. */
export function manifestDefect(
  policy: AnyContract<any, any>,
  manifest: { readonly name?: string; readonly version?: string },
): string | undefined {
  if (policy.version !== manifest.version)
    return `version is ${policy.version}; that of the package is ${manifest.version}`
  const name = manifest.name ?? ''
  if (name !== policy.name && !name.endsWith(`-${policy.name}`) && !name.endsWith(`/${policy.name}`)) {
    return `name is ${policy.name}; the package ${name} should be called so, or something that ends in -${policy.name}`
  }
  return undefined
}
