// A module of its own, because a dynamic import of the package's entry would load the whole server.
export { servePolicies } from '@cloister/viewer/server'
