// Requests to the server; see /api/schema.json.

/** Ask for JSON; throws an Error with the server's sentence. */
export async function get(path, query = {}, signal = undefined) {
  const words = new URLSearchParams(query).toString();
  return read(await fetch(`api/${path}${words ? `?${words}` : ""}`, { signal }));
}

/** Send JSON. */
export async function post(path, body = {}) {
  const head = { "content-type": "application/json" };
  return read(await fetch(`api/${path}`, { method: "POST", headers: head, body: JSON.stringify(body) }));
}

async function read(answer) {
  const content = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(content.error ?? `the server answered ${answer.status}`);
  return content;
}

/** Wait for a job, with a line of progress and a button that stops it; returns its last state. */
export async function finished(job, told) {
  while (["waiting", "running"].includes(job.state)) {
    told(job);
    await new Promise((resume) => setTimeout(resume, 250));
    job = await get(`jobs/${job.job}`);
  }
  told(job);
  if (job.error) throw new Error(job.error);
  return job;
}
