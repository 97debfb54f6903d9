// npm run pnpm -- run release:repository URL: writes the address of the repository into every published package.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { addressesIn, publishedPackages } from './published.mjs'

const [repository] = process.argv.slice(2)
if (!/^https:\/\/\S+[^/]$/.test(repository ?? '') || repository.endsWith('.git')) {
  console.error(
    `release:repository: ${repository ?? 'no address'}, expected the page of the repository: https://HOST/OWNER/NAME`,
  )
  process.exit(1)
}

function change(file, fields) {
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...fields }, null, 2)}\n`)
}

for (const { folder } of publishedPackages('.')) change(`${folder}/package.json`, addressesIn(repository, folder))
const root = readFileSync('package.json', 'utf8')
writeFileSync('package.json', root.replace(/^( *"repository": )"[^"]*"/m, `$1"${repository}"`))
