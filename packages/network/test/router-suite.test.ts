import { routerSuite } from '@cloister/placement/testing'
import { partitionRouter } from '../src/index.ts'

routerSuite(partitionRouter())
