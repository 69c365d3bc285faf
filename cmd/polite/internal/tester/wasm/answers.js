// The command answers on the page itself: it is compiled to WebAssembly.

import './wasm_exec.js'; // of Go: .ci/page puts it here
import packed from './polite.wasm.gz';
import { answerBy } from '../page/api.js';

async function run() {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), go.importObject);
  go.run(instance); // for as long as the page is there
}

const running = run();
answerBy(async (path, parts) => {
  await running;
  const { status, kind, body } = globalThis.politeAsk(path, parts);
  return new Response(body, { status, headers: { 'Content-Type': kind } });
});
