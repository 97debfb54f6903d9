import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundlePage } from '@cloister/viewer/build'
import { describe, expect, it } from 'vitest'
import { bundle } from './cloister.ts'

const dist = dirname(bundle)
const notices = (): string => readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')

/** Returns the names of foreign packages with code in a bundle, from the bundle's comments with source files. */
function bundledPackages(): ReadonlySet<string> {
  const sources = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(dist, name), 'utf8'))
  const names = sources.flatMap((text) =>
    [...text.matchAll(/^\/\/ .*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
  )
  return new Set(names)
}

describe('the foreign code in the bundle', () => {
  it('the notices have an entry for each package of foreign code in the bundle', () => {
    const bundled = bundledPackages()
    expect(bundled.size).toBeGreaterThan(5)
    for (const name of bundled) expect(notices()).toMatch(new RegExp(`^${name} \\d\\S* \\(.+\\)$`, 'm'))
    expect(notices()).not.toMatch(/\((undefined|null)?\)$/m)
  })

  it('the notices have the whole text of each licence of foreign code, also for the code in viewer.html', async () => {
    const { page, packages } = await bundlePage()
    expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['preact', '@observablehq/plot']))
    for (const { name, version, license, texts } of packages) {
      expect(texts.join('\n').length).toBeGreaterThan(500)
      expect(notices()).toContain(`${name} ${version} (${license})\n\n${texts.join('\n\n')}`)
      expect(page).toContain(`${name} ${version} (${license})`)
    }
    expect(notices().match(/^\S+ \d\S* \(.+\)$/gm)!.length).toBe(notices().split('-'.repeat(80)).length)
  })
})
