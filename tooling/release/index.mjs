// Functions that tests of packed tarballs share with the release.
export { policyOfSomebody } from './author.mjs'
export { clientsHere } from './clients.mjs'
export { publish, startRegistry } from './local-registry.mjs'
export { publishedPackages } from './published.mjs'
