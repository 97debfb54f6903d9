import { gzipSync } from 'node:zlib'
import { buildPage } from '@cloister/viewer/build'
import { expect, it } from 'vitest'

it('the page of the viewer is one file, whose part for the first picture has under 250 kB compressed, and runs only its own scripts', async () => {
  const page = await buildPage()
  const [first, ...later] = page.split('<script type="text/plain" id="pictures">')
  expect(gzipSync(first, { level: 9 }).length).toBeLessThan(250_000)
  expect(later).toHaveLength(1)
  expect(page.match(/<script/g)).toHaveLength(2)
  expect(page.split('<!--logs-->')).toHaveLength(2)
  expect(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1]).toMatch(
    /^default-src 'none'; script-src 'sha256-[^ ]+' 'sha256-[^ ]+'; .*connect-src 'self'/,
  )
  expect(page).not.toMatch(/(src|href)="(?!data:)/)
})

it('a page can have further tracks and panels', async () => {
  const page = await buildPage('test/own-page.tsx')
  for (const name of ['Waiting', 'Summary', 'number of the jobs']) expect(page).toContain(name)
})
