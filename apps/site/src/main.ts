// npm run site [-- --repository URL]: builds the site into apps/site/dist/site.
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite, siteFolder } from './site.ts'

const root = join(import.meta.dirname, '../../..')
try {
  const { values } = parseArgs({ options: { repository: { type: 'string' } } })
  const { repository } = values
  if (repository !== undefined && !/^https?:\/\//.test(repository))
    throw new TypeError(`--repository: found ${repository}, expected the address of the repository's pages, https://…`)
  const pages = await buildSite({ root, repository: repository?.replace(/\/+$/, '') })
  console.log(`${pages} pages in ${relative(root, siteFolder)}, which any web server can serve from any folder`)
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  console.error(`site: ${error.message}`)
  process.exitCode = 2
}
