import { orderSuite } from '@cloister/ordering/testing'
import { orders } from '../src/index.ts'

for (const order of orders.values()) orderSuite(order)
