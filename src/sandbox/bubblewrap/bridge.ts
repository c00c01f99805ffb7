import { INSIDE } from '../inside.ts'

/**
 * Shell script that opens the gateway's socket on a TCP port inside and then becomes the command it is given.
 *
 * It waits for the port, because an engine that finds it closed may give up or wait for seconds.
 */
export function bridgeScript(hasSocat: boolean): string {
  return `${hasSocat ? SOCAT : NODE} </dev/null >/dev/null 2>&1 &
tries=0
until grep -q '0100007F:${PORT_AS_HEX} 00000000:0000 0A' /proc/net/tcp; do
  tries=$((tries + 1))
  if [ "$tries" -gt 1000 ]; then echo 'agent-evals: the bridge to the gateway did not start' >&2; exit 97; fi
  sleep 0.01
done
exec "$@"`
}

const PORT_AS_HEX = INSIDE.bridgePort.toString(16).toUpperCase().padStart(4, '0')

const SOCAT = `socat TCP4-LISTEN:${INSIDE.bridgePort},bind=127.0.0.1,reuseaddr,fork,max-children=64 UNIX-CONNECT:${INSIDE.gatewaySocket}`

const NODE_SCRIPT = `
const net = require("node:net")
net.createServer({ allowHalfOpen: true }, (from) => {
  const to = net.connect({ path: "${INSIDE.gatewaySocket}", allowHalfOpen: true })
  from.on("error", () => to.destroy()).on("close", () => to.destroy())
  to.on("error", () => from.destroy()).on("close", () => from.destroy())
  from.pipe(to).pipe(from)
}).listen(${INSIDE.bridgePort}, "127.0.0.1")`

const NODE = `${INSIDE.node} -e '${NODE_SCRIPT}'`
