import { readFileSync } from 'node:fs'

/** The example in the chapter "Seals" of SPEC.md, executed. */
interface SpecDigest {
  readonly stateDigest: (integers: ReadonlyArray<number>, tables?: ReadonlyArray<number>) => string
  readonly example: string
}

const spec = readFileSync(new URL('../SPEC.md', import.meta.url), 'utf8')
const [, code] = /^```js\n([^]*?)^```$/m.exec(spec)!

export const { stateDigest, example }: SpecDigest = await import(`data:text/javascript,${encodeURIComponent(code)}`)
