export { attempt } from '@cloister/run/node'
