export { Files, type NewFile } from '@cloister/run/node'
