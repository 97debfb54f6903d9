export { PostgresServer, whatPostgresLacks } from './postgres-server.ts'
